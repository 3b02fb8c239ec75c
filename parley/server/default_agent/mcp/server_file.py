"""The file that names MCP servers, in the shape that desktop clients and editors share (`mcpServers`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parley.core.model.errors import ConfigError
from parley.server.accounts.sign_in_addresses import read_origin

_MOST = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9_-]{1,30}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,100})(?::-([^}$]{0,1000}))?\}")
_TRANSPORTS = {
    "stdio": "stdio",
    "sse": "sse",
    "http": "streamable_http",
    "streamable-http": "streamable_http",
    "streamable_http": "streamable_http",
    "streamableHttp": "streamable_http",
}
_REMEDY = 'write {"mcpServers": {"NAME": {"command": ...} or {"url": ...}}}'


@dataclass(frozen=True, slots=True)
class McpOAuth:
    """People sign in to a server with their own accounts. Without a client's id Parley registers itself.

    `authorization_origins` are those with plain HTTP where they may do so.
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: tuple[str, ...] = ()
    authorization_origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McpServer:
    """One server: a command to run, or an address. `folder` is where the command runs."""

    name: str
    transport: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    oauth: McpOAuth | None = None


class _OAuthEntry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    client_id: str = ""
    client_secret: str = ""
    scopes: list[str] = Field(default_factory=list)
    authorization_origins: list[str] = Field(default_factory=list, max_length=20)


class _Entry(BaseModel):
    """An entry as it is written; keys of other programs are ignored, also those that would approve calls."""

    model_config = ConfigDict(extra="ignore")

    command: str = ""
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    type: str = ""
    transport: str = ""
    disabled: bool = False
    oauth: bool | _OAuthEntry = False


def read_servers(path: Path, environ: Mapping[str, str]) -> tuple[McpServer, ...]:
    """Return the servers of a file that are not disabled.

    `environ` has the values of `${NAME}`. Raises ConfigError with the place and the remedy.
    """
    place = f"built_in.mcp.file: {path}"
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_MOST + 1)
        found = json.loads(text) if len(text) <= _MOST else None
    except OSError as error:
        raise ConfigError(f"{place} cannot be read: {error.strerror}; write it, or remove the key") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place} is not JSON: {str(error)[:200]}") from error
    servers = found.get("mcpServers") if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        raise ConfigError(f"{place} has no object mcpServers; {_REMEDY}")
    made = (_server(place, name, entry, path, environ) for name, entry in servers.items())
    return tuple(each for each in made if each is not None)


def _server(place: str, name: str, given: object, path: Path, environ: Mapping[str, str]) -> McpServer | None:
    place = f"{place}: mcpServers.{name[:60]}"
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{place}: a name has up to 30 letters, digits, - and _, for it begins its tools'")
    try:
        entry = _Entry.model_validate(given)
        if entry.disabled:
            return None
        entry = _Entry.model_validate(_expanded(entry.model_dump(), environ))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{place}: {key}: {first['msg']}") from error
    except KeyError as error:
        raise ConfigError(f"{place}: ${{{error.args[0]}}} is not set; set it, or write a default") from error
    return _checked(place, name, entry, path)


def _checked(place: str, name: str, entry: _Entry, path: Path) -> McpServer:
    kind = entry.type or entry.transport or ("stdio" if entry.command else "http")
    transport = _TRANSPORTS.get(kind)
    if transport is None:
        raise ConfigError(f'{place}: there is no transport "{kind[:40]}"; write stdio, http or sse')
    if transport == "stdio":
        if not entry.command or entry.url or entry.oauth:
            raise ConfigError(f"{place}: stdio needs a command, no url and no oauth")
        folder = str(path.parent / entry.cwd)
        return McpServer(name, transport, entry.command, tuple(entry.args), entry.env, folder)
    if entry.command or not entry.url.startswith(("http://", "https://")):
        raise ConfigError(f"{place}: {kind} needs a url that begins with http:// or https://, and no command")
    oauth = _oauth(f"{place}: oauth", entry.oauth)
    return McpServer(name, transport, url=entry.url, headers=entry.headers, oauth=oauth)


def _oauth(place: str, entry: bool | _OAuthEntry) -> McpOAuth | None:
    if isinstance(entry, bool):
        return McpOAuth() if entry else None
    try:
        origins = tuple(map(read_origin, entry.authorization_origins))
    except ValueError as error:
        raise ConfigError(
            f"{place}.authorization_origins: {error}; write origins such as http://login.intranet:8080"
        ) from error
    return McpOAuth(entry.client_id, entry.client_secret, tuple(entry.scopes), origins)


def _expanded(value: Any, environ: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    """Return JSON with `${NAME}` and `${NAME:-default}` replaced. Raises KeyError for what is not set."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: environ.get(found[1]) or _default(found), value)
    if isinstance(value, list):
        return [_expanded(each, environ) for each in value]
    if isinstance(value, dict):
        return {key: _expanded(each, environ) for key, each in value.items()}
    return value


def _default(found: re.Match[str]) -> str:
    if found[2] is None:
        raise KeyError(found[1])
    return found[2]
