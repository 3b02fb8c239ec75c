"""Which agent answers, as changes of a draft."""

from __future__ import annotations

from parley.app.checks.findings import DEFAULT_ASSISTANT
from parley.app.settings.langgraph_file import LangGraphProject, read_langgraph_file
from parley.app.setup.draft import Draft
from parley.core.model.errors import ConfigError
from parley.core.model.types import Json

EMBEDDED = "embedded"
SERVER_KEY = "AGENT_API_KEY"
OFFERED_MODEL = "openai:gpt-5-mini"
NO_KEY = "none"
"""What stands for the key of a server that asks for none."""


def found_project(draft: Draft) -> LangGraphProject | None:
    """Return the project of a langgraph.json beside the configuration. Raises ConfigError."""
    return read_langgraph_file(draft.file.parent)


def use_demonstration(draft: Draft) -> Draft:
    """Let the built-in demonstration answer; or the graphs of a langgraph.json, where there is one."""
    return _changed(draft, url=EMBEDDED, graphs={}, model="", assistant=_first(draft))


def use_project(draft: Draft, assistant: str) -> Draft:
    """Let a graph of the langgraph.json answer. Raises ConfigError where it has none of that name."""
    project = found_project(draft)
    if project is None or assistant not in project.graphs:
        known = ", ".join(project.graphs) if project else "there is no such file"
        raise ConfigError(f"langgraph.json has no graph {assistant} ({known})")
    return _changed(draft, url=EMBEDDED, graphs={}, model="", assistant=assistant)


def use_model(draft: Draft, model: str, key: str = "", base_url: str = "") -> Draft:
    """Let a language model answer; without a `key` the one that is there already is used."""
    provider = model.partition(":")[0]
    if not (provider.replace("-", "_").isidentifier() and provider.isascii() and ":" in model):
        raise ConfigError(f"a model is written as provider:name, such as {OFFERED_MODEL}, not {model[:100]}")
    variable = model_key_variable(model)
    if key:
        draft = draft.set_variable(variable, key)
    # First the key: a model of OpenAI without one is a mistake.
    if key or variable in draft.environment():
        draft = _changed(draft, model_api_key=f"${variable}")
    changed = _changed(draft, url=EMBEDDED, graphs={}, base_url=base_url, assistant=DEFAULT_ASSISTANT)
    return _changed(changed, model=model)


def use_server(draft: Draft, url: str, assistant: str = "", key: str = "") -> Draft:
    """Let an assistant of a LangGraph server answer; without a name the one that is there already."""
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"an address begins with http:// or https://, unlike {url[:100]}")
    if key:
        draft = _changed(draft.set_variable(SERVER_KEY, key), api_key=f"${SERVER_KEY}")
    wanted: dict[str, Json] = {"url": url.rstrip("/"), "graphs": {}, "model": ""}
    return _changed(draft, **wanted, **({"assistant": assistant} if assistant else {}))


def model_key_variable(model: str) -> str:
    """Return the environment variable for the key of a model's provider."""
    return f"{model.partition(':')[0]}_API_KEY".upper().replace("-", "_")


def _first(draft: Draft) -> str:
    project = found_project(draft)
    return next(iter(project.graphs)) if project else DEFAULT_ASSISTANT


def _changed(draft: Draft, **values: Json) -> Draft:
    """Set keys of the agent's section that have another value."""
    environ, loaded = draft.environment(), draft.loaded()
    # The graphs of a langgraph.json are not in the file.
    written = loaded.settings.agent.model_copy(update={"graphs": {}} if loaded.project else {})
    for key, value in values.items():
        named = isinstance(value, str) and value.startswith("$")
        if getattr(written, key) != (environ.get(str(value)[1:], "") if named else value):
            draft = draft.set_value(("agent", key), value)
    return draft
