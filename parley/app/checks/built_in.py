"""What can be seen of the built-in agent's settings without a call to its model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from parley.app.settings.addresses import sign_in_address
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.settings.parsing.problems import ConfigProblem, Path
from parley.core.model.errors import ConfigError
from parley.core.network import is_loopback, is_public

if TYPE_CHECKING:
    from parley.server.default_agent.mcp.server_file import McpServer

# What is off costs nothing: its modules are not imported.

_SECTION = "built_in"
_INSIDE = (".local", ".internal", ".home.arpa")
"""Names that nobody on the Internet has."""


def built_in_mistakes(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Yield fallbacks that are no models of its own, and files and skills that cannot be read."""
    section = loaded.settings.built_in
    if not loaded.settings.agent.built_in:
        return
    known = loaded.settings.agent.choices
    own = [each.model for each in section.subagents.agents.values() if each.model]
    named = {
        "fallbacks": section.fallbacks,
        "models": section.models,
        "titles": (section.titles,) if section.titles else (),
        "suggestions": (section.suggestions,) if section.suggestions else (),
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
    if not section.enabled:
        return
    from parley.server.default_agent.skills.library import REMEDY, load_skill
    from parley.server.default_agent.skills.skill_file import SkillRefused

    for name in section.enabled:
        try:
            load_skill(loaded.folder / section.folder, name)
        except SkillRefused as error:
            yield _problem(loaded, "skills", f"{error.user_text}; {REMEDY}")


def unreachable_sign_ins(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Yield a remark where people are to sign in at an address that their own devices do not reach safely."""
    section = loaded.settings.built_in.mcp
    if not loaded.settings.agent.built_in or not section.file:
        return
    with suppress(ConfigError):  # It is among the mistakes.
        names = [each.name for each in served_tools(loaded) if each.oauth is not None]
        address = sign_in_address(loaded)
        if names and (why := _out_of_reach(address)):
            text = f"people sign in to {', '.join(names)} at {address}, {why}; write the https address"
            yield _problem(loaded, "mcp", f"{text} where their browsers reach Parley as mcp.public_url")


def _out_of_reach(address: str) -> str:
    """Return why people's own devices are not to be sent to an address, "" where they may be."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if is_loopback(host):
        return "which only a browser on this machine reaches"
    if parts.scheme == "https":
        return ""
    try:
        public = is_public(ip_address(host))
    except ValueError:
        public = "." in host and not host.endswith(_INSIDE)
    return "where what lets them in crosses the Internet in plain text" if public else ""


def served_tools(loaded: LoadedSettings) -> tuple[McpServer, ...]:
    """Return the MCP servers that are named. Raises ConfigError."""
    from parley.server.default_agent.mcp.server_file import read_servers

    environ = with_dotenv(os.environ, loaded.folder / ".env")
    return read_servers(loaded.folder / loaded.settings.built_in.mcp.file, environ)


def _files(loaded: LoadedSettings) -> Iterator[Callable[[], object]]:
    """Yield how the files that the section names are read."""
    section = loaded.settings.built_in
    if section.prompt_file:
        from parley.server.default_agent.prompt_file import read_prompt

        yield lambda: read_prompt(loaded.folder / section.prompt_file)
    if section.mcp.file:
        yield lambda: served_tools(loaded)


def _problem(loaded: LoadedSettings, key: str, text: str) -> ConfigProblem:
    path: Path = (_SECTION, key)
    return ConfigProblem(path, text, loaded.source.line(path))
