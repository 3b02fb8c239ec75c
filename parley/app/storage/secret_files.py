"""Secrets that Parley makes for itself: each in a file of the data folder that nobody else may read."""

from __future__ import annotations

import logging
import os
import secrets
from contextlib import suppress
from pathlib import Path

from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import AGENT_KEY, CONSOLE_KEY
from parley.console.http.options import MIN_TOKEN
from parley.core.model.errors import ParleyError

log = logging.getLogger("parley.app")

_BYTES = 32
_OTHERS = 0o077


def console_token(loaded: LoadedSettings) -> str:
    """Return what opens the console: `console.token`, or a secret made at the first start.

    Raises ParleyError.
    """
    return loaded.settings.console.token or _made(loaded.data_dir / CONSOLE_KEY)


def existing_token(loaded: LoadedSettings) -> str:
    """Return the same as far as there is one, and "" before the first start. Raises ParleyError."""
    return loaded.settings.console.token or _read(loaded.data_dir / CONSOLE_KEY)


def auth_headers(loaded: LoadedSettings) -> dict[str, str]:
    """Return the headers with which a program of this machine is let in. Raises ParleyError."""
    token = existing_token(loaded)
    return {"authorization": f"Bearer {token}"} if token else {}


def console_url(loaded: LoadedSettings, url: str) -> str:
    """Return the address to open: with the token, unless it was chosen by somebody. Raises ParleyError."""
    chosen = loaded.settings.console.token
    return url if chosen else f"{url}/?token={existing_token(loaded)}"


def agent_key(loaded: LoadedSettings) -> str:
    """Return the key of `parley agent`: `agent.api_key`, or a secret made at the first start.

    Raises ParleyError.
    """
    return loaded.settings.agent.api_key or _made(loaded.data_dir / AGENT_KEY)


def _made(path: Path) -> str:
    known = _read(path)
    if known:
        return known
    made = secrets.token_urlsafe(_BYTES)
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(made + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise ParleyError(f"{path} cannot be written: {error.strerror}.") from error
    return made


def _read(path: Path) -> str:
    """Return the secret in a file; "" where there is none, or what is there could be guessed."""
    try:
        with path.open("rb") as file:
            _keep_to_ourselves(path, os.fstat(file.fileno()).st_mode)
            said = file.read(4096).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ParleyError(
            f"{path} cannot be read: {error.strerror}; call this as the user that Parley runs as."
        ) from error
    return said if len(said) >= MIN_TOKEN and said.isascii() and said.isprintable() else ""


def _keep_to_ourselves(path: Path, mode: int) -> None:
    if mode & _OTHERS:
        log.warning("%s could be read by others; it cannot any more. Delete it to have another", path)
        with suppress(OSError):
            path.chmod(0o600)
