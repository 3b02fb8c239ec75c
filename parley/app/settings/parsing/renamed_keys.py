"""Keys that people look for elsewhere: most are where DeerFlow has them."""

from parley.app.settings.parsing.problems import Path

_MOVED: dict[Path, str] = {
    ("langgraph_url",): 'agent.url: write "url:" under "agent:"',
    ("channels", "langgraph_url"): 'agent.url: write "url:" under "agent:"',
    ("gateway_url",): 'agent.gateway_url: write "gateway_url:" under "agent:"',
    ("channels", "gateway_url"): 'agent.gateway_url: write "gateway_url:" under "agent:"',
    ("assistant_id",): 'agent.assistant: write "assistant:" under "agent:"',
    ("channels", "assistant_id"): 'agent.assistant: write "assistant:" under "agent:"',
    ("channels", "session"): 'session: move the section to the top of the file, outside "channels:"',
    ("models",): 'agent.models: write their names in a list under "agent:"',
    ("recursion_limit",): 'agent.recursion_limit: write "recursion_limit:" under "agent:"',
    ("shutdown_grace_period_seconds",): 'manager.shutdown_grace: write "shutdown_grace:" under "manager:"',
    ("channels", "shutdown_grace_period_seconds"): (
        'manager.shutdown_grace: write "shutdown_grace:" under "manager:"'
    ),
    ("max_workers",): 'manager.max_turns: write "max_turns:" under "manager:"',
    ("channels", "web", "token"): 'console.token: write "token:" under "console:"',
    ("port",): 'console.port: write "port:" under "console:"',
    ("host",): 'console.host: write "host:" under "console:"',
}


def renamed_key(path: Path) -> str:
    """Return where the key lives now, or ""."""
    home = _MOVED.get(path, "")
    return f"lives at {home}" if home else ""
