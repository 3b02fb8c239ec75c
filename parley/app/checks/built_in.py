"""What can be seen of the built-in agent's settings without a call to its model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.settings.parsing.problems import ConfigProblem, Path
from parley.core.model.errors import ConfigError
from parley.server.default_agent.mcp.server_file import McpServer, read_servers
from parley.server.default_agent.prompt_file import read_prompt
from parley.server.default_agent.skills.library import REMEDY, load_skill
from parley.server.default_agent.skills.skill_file import SkillRefused

_SECTION = "built_in"


def built_in_mistakes(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Yield fallbacks that are no models of its own, and files and skills that cannot be read."""
    section = loaded.settings.built_in
    if not loaded.settings.agent.built_in:
        return
    known = loaded.settings.agent.choices
    titles = (section.titles,) if section.titles else ()
    own = [each.model for each in section.subagents.agents.values() if each.model]
    named = {
        "fallbacks": section.fallbacks,
        "models": section.models,
        "titles": titles,
        "subagents": own if section.subagents.enabled else (),
    }
    for key, names in named.items():
        for name in names:
            if name not in known:
                yield _problem(loaded, key, f'"{name}" is not in agent.models; write it there, too')
    for read in _files(loaded):
        try:
            read()
        except ConfigError as error:
            place, _, text = str(error).partition(": ")
            path: Path = tuple(place.split("."))
            yield ConfigProblem(path, text, loaded.source.line(path))
    yield from _skill_mistakes(loaded)


def _skill_mistakes(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Yield skills that are on and cannot be used."""
    section = loaded.settings.built_in.skills
    for name in section.enabled:
        try:
            load_skill(loaded.folder / section.folder, name)
        except SkillRefused as error:
            yield _problem(loaded, "skills", f"{error.user_text}; {REMEDY}")


def served_tools(loaded: LoadedSettings) -> tuple[McpServer, ...]:
    """Return the MCP servers that are named. Raises ConfigError."""
    environ = with_dotenv(os.environ, loaded.folder / ".env")
    return read_servers(loaded.folder / loaded.settings.built_in.mcp.file, environ)


def _files(loaded: LoadedSettings) -> Iterator[Callable[[], object]]:
    """Yield how the files that the section names are read."""
    section = loaded.settings.built_in
    if section.prompt_file:
        yield lambda: read_prompt(loaded.folder / section.prompt_file)
    if section.mcp.file:
        yield lambda: served_tools(loaded)


def _problem(loaded: LoadedSettings, key: str, text: str) -> ConfigProblem:
    path: Path = (_SECTION, key)
    return ConfigProblem(path, text, loaded.source.line(path))
