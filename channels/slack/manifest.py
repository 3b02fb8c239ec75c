"""The app's manifest: what to paste into Slack to get an app that fits this channel.

`python -m parley.channels.slack.manifest` prints it for Socket Mode, and with `https://your.host` behind it
for an app that Slack posts to there: at /hooks/slack, or at the path of another channel
(`https://your.host/hooks/support`). Its fields are those of docs.slack.dev/reference/app-manifest.
"""

from __future__ import annotations

import sys

import yaml

from parley.channels.slack.config import HOOK_PATH
from parley.core.model.types import Json
from parley.core.texts import Sentence, say

SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "im:history",
    "mpim:history",
    "reactions:write",
    "users:read",
)
"""What the bot token must be allowed."""

EVENTS = (
    "agent_session_stopped",
    "app_context_changed",
    "app_home_opened",
    "app_mention",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
)
"""What the app is told of."""

COSTS = {
    "assistant:write": "being an agent, with a stop button and suggested prompts",
    "commands": "/parley and the shortcut of a message",
    "files:read": "files of people",
    "files:write": "files in answers",
    "reactions:write": "the reaction that says that a message was received",
    "users:read": "telling members from guests",
}
"""What an app does not have without a scope; without any other it does not hear or answer somewhere."""
COMMAND = "/parley"
"""The slash command, with the commands of chats behind it."""
ASK_SHORTCUT = "parley_ask"
"""The callback id of the message shortcut."""
PROMPTS = (
    (Sentence.PROMPT_HELP, Sentence.PROMPT_HELP_WORDS),
    (Sentence.PROMPT_SUMMARY, Sentence.PROMPT_SUMMARY_WORDS),
    (Sentence.PROMPT_DRAFT, Sentence.PROMPT_DRAFT_WORDS),
)
"""What people may begin with: the label, and what is said. Slack shows four at most."""
_ABOUT = "Your LangGraph agent in Slack"
_HOOKS = "/hooks/"


def manifest(name: str = "Parley", url: str = "") -> dict[str, Json]:
    """Return the manifest as Slack takes it. With a `url`, such as https://your.host, Slack posts there."""
    address = _hook_address(url)
    posted: dict[str, Json] = {"request_url": address} if url else {}
    return {
        "display_information": {"name": name, "description": _ABOUT},
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "agent_view": {"agent_description": _ABOUT, "suggested_prompts": _prompts()},
            "shortcuts": [
                {
                    "name": "Ask about this",
                    "type": "message",
                    "callback_id": ASK_SHORTCUT,
                    "description": "Ask a question about a message",
                }
            ],
            "slash_commands": [_command(address)],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {**posted, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **posted},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }


def _prompts() -> list[Json]:
    return [{"title": say("en", label), "message": say("en", words)} for label, words in PROMPTS]


def _command(address: str) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "command": COMMAND,
        "description": "Commands: help, new, stop, status, memory ...",
        "usage_hint": "help",
        "should_escape": False,
    }
    return shown | ({"url": address} if address else {})


def _hook_address(url: str) -> str:
    """Return where Slack posts to: the path of a channel, that of the channel `slack` where none is named."""
    base = url.rstrip("/")
    return base if not base or _HOOKS in base else base + HOOK_PATH


def as_yaml(url: str = "") -> str:
    """Return the manifest as a file."""
    text: str = yaml.safe_dump(manifest(url=url), sort_keys=False, allow_unicode=True)
    return text


if __name__ == "__main__":
    sys.stdout.write(as_yaml(*sys.argv[1:2]))
