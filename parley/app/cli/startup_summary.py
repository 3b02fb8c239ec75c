"""What would start, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from parley.app.settings.core_options import core_options
from parley.app.settings.langgraph_file import PROJECT_FILE
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.agent import AgentSection
from parley.app.settings.schema.built_in import SubagentsSection
from parley.app.settings.schema.model import Settings
from parley.channels.kit.config import ChannelConfig, ChatConfig
from parley.core.model.options import UnroutedPolicy


def summarise_startup(loaded: LoadedSettings) -> Iterator[str]:
    """Yield a line for the agent, one for each channel, who learns, and where everything is kept."""
    width = max(len(name) for name in ("agent", "memory", "data", *loaded.plans))
    of_file = f" ({PROJECT_FILE})" if loaded.project else ""
    able = ", ".join(abilities(loaded.settings))
    yield f"  {'agent':{width}}  {agent_line(loaded.settings.agent)}{of_file}{able and f'; with {able}'}"
    for name, channel in loaded.plans.items():
        state = f"off: {channel.off}" if channel.off else "on" + _warning(channel.config)
        yield f"  {name:{width}}  {state}"
    yield f"  {'memory':{width}}  {memory_line(loaded.settings)}"
    yield f"  {'data':{width}}  {loaded.data_dir}"
    yield from _apart(loaded)
    yield from summarise_routes(loaded)


def summarise_routes(loaded: LoadedSettings) -> Iterator[str]:
    """Yield a line for each entry of `chats`, with what it changes, and one for all other chats."""
    routed = {name: config for name, config in loaded.channels.items() if config.chats}
    options = core_options(loaded).channels if routed else {}
    places = [f"{name} {chat}" for name, config in routed.items() for chat in (*config.chats, "others")]
    width = max(map(len, places), default=0)
    for name, config in routed.items():
        for chat, own in config.chats.items():
            yield f"  {f'{name} {chat}':{width}}  {_route(own)}"
        rest = options[name]
        others = "" if rest.unrouted is UnroutedPolicy.ANSWER else f"; groups: {rest.unrouted}"
        line = f"assistant {rest.session.assistant}, mention {rest.mention}{others}"
        yield f"  {f'{name} others':{width}}  {line}"


def _route(own: ChatConfig) -> str:
    """Return what an entry changes, key by key; of a session the assistant, and that there is more."""
    words = [f"assistant {own.session.assistant_id}"] if own.session.assistant_id else []
    for key in sorted(own.model_fields_set - {"session"}):
        value = getattr(own, key)
        words.append(f"{key} {_shown(key, value)}")
    more = sorted(own.session.model_fields_set - {"assistant_id"})
    return ", ".join([*words, *(f"session.{key}" for key in more)]) or "as the channel"


def _shown(key: str, value: object) -> object:
    if not isinstance(value, tuple):
        return value
    return len(value) if key == "triggers" else ", ".join(map(str, value)) or "none"


def _apart(loaded: LoadedSettings) -> Iterator[str]:
    """Yield what keeps a store on a server from being shared by several nodes."""
    if loaded.settings.store.embedded:
        return
    if loaded.settings.agent.embedded:
        yield "  For one node only: several need an agent.url that all reach: `parley agent` (docs/nodes.md)"
    if not loaded.settings.memory_in_store:
        yield "  For one node only: memory.storage: files is a folder of this machine; several need: store"


def agent_line(agent: AgentSection) -> str:
    """Return where the agent runs and what it thinks with."""
    if agent.embedded:
        return f"embedded, {embedded_line(agent)}"
    return f"{agent.url}, assistant {agent.assistant}"


def embedded_line(agent: AgentSection) -> str:
    """Return what the embedded server thinks with."""
    if agent.graphs:
        return f"graphs: {', '.join(agent.graphs)}"
    if agent.model:
        return f"model {agent.model}"
    return "the offline demonstration (no AI: set agent.model for a real one)"


def memory_line(settings: Settings) -> str:
    """Return who learns, and what gives simple rules a model."""
    memory = settings.memory
    if not memory.enabled:
        return "off"
    if memory.assistant:
        return f"the assistant {memory.assistant} learns"
    if settings.memory_model:
        return f"the model {settings.memory_model} learns"
    more = "memory.model_name" if settings.agent.embedded else "memory.model_name or memory.assistant"
    return f"simple rules learn, from few plain sentences (write {more} for more)"


def abilities(settings: Settings) -> Iterator[str]:
    """Yield what of the built-in agent's abilities is on."""
    section = settings.built_in
    if not (settings.agent.built_in and settings.agent.model):
        return
    if thinking := [name for name in settings.agent.choices if settings.thinks(name)]:
        yield f"thinking ({', '.join(thinking)})"
    named = {
        "tools": ", ".join(section.tools),
        "MCP servers": section.mcp.file,
        "skills": ", ".join(section.skills.enabled),
        "subagents": ", ".join(_subagents(section.subagents)),
    }
    yield from (f"{ability} ({names})" for ability, names in named.items() if names)
    simple = {
        "web search": section.web.search_url,
        "web pages": section.web.fetch,
        "files and commands" if section.sandbox.enabled else "files": section.workspace.enabled,
        "todos": section.todos,
        "clarification": section.clarification,
        "titles": section.titles,
        "suggestions": section.suggestions,
    }
    yield from (ability for ability, on in simple.items() if on)


def _subagents(section: SubagentsSection) -> list[str]:
    if not section.enabled:
        return []
    from parley.server.options import GENERAL_PURPOSE

    return sorted({GENERAL_PURPOSE, *section.agents})


def _warning(config: ChannelConfig) -> str:
    if config.allowed_users or config.admins:
        return ""
    pairing = ", or let people in who send it /pair" if config.pairing else ""
    return f", but nobody may talk to it yet: fill in allowed_users{pairing}"
