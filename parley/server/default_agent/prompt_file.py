"""The file that holds the default agent's instructions."""

from __future__ import annotations

import logging
from pathlib import Path

from parley.core.model.errors import ConfigError

log = logging.getLogger(__name__)

_MOST = 100_000


class PromptFile:
    """Instructions that are read once more whenever their file has changed."""

    def __init__(self, path: Path) -> None:
        """Read them. Raises ConfigError."""
        self._path = path
        self._seen = _stamp(path)
        self._text = read_prompt(path)

    def text(self) -> str:
        """Return them as they are now; as they were where the file cannot be used any more."""
        stamp = _stamp(self._path)
        if stamp != self._seen:
            self._seen = stamp
            try:
                self._text = read_prompt(self._path)
            except ConfigError as error:
                log.warning("%s; the earlier instructions stay", error)
        return self._text


def read_prompt(path: Path) -> str:
    """Return the instructions in a file. Raises ConfigError, which names file and remedy."""
    place = f"built_in.prompt_file: {path}"
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_MOST + 1)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{place} is not UTF-8 text; save it as such") from error
    except OSError as error:
        raise ConfigError(f"{place} cannot be read: {error.strerror}; write it, or remove the key") from error
    if not text.strip():
        raise ConfigError(f"{place} is empty; write what the agent is to do, or remove the key")
    if len(text) > _MOST:
        raise ConfigError(f"{place} has more than {_MOST} characters; shorten it")
    return text


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
