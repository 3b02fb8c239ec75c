"""Files with secrets that others on this machine can read, and what they can do about it."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from parley.app.logs import secrets_in
from parley.app.settings.findings import Findings, at
from parley.app.settings.load import Loaded
from parley.app.settings.mistakes import Mistake
from parley.core.types import Json

_OTHERS = 0o077


def exposed(loaded: Loaded) -> Findings:
    """Return a remark on each that others reach: `.env`, a configuration with secrets, the data folder."""
    return Findings(remarks=tuple(_exposed(loaded)))


def _exposed(loaded: Loaded) -> Iterator[Mistake]:
    file = loaded.folder / ".env"
    if _reached(file):
        yield Mistake((), f"{file} can be read by others on this machine; run: chmod 600 {file}")
    config = loaded.folder / Path(loaded.origin).name
    if config.is_file() and _reached(config) and _holds_secrets(loaded):
        remedy = f"move them to .env, or run: chmod 600 {config}"
        yield Mistake((), f"{config} holds secrets and can be read by others on this machine; {remedy}")
    if _reached(loaded.data_dir):
        text = f"others on this machine can enter {loaded.data_dir}; run: chmod 700 {loaded.data_dir}"
        yield at(loaded, ("data_dir",), text)


def _reached(path: Path) -> bool:
    """Tell whether anybody but its owner may do anything with it. What is not there is not reached."""
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & _OTHERS)
    except OSError:
        return False


def _holds_secrets(loaded: Loaded) -> bool:
    """Tell whether a secret is written in the file itself, and not taken from a variable."""
    written = set(_texts(loaded.source.tree))
    return not written.isdisjoint(secrets_in(loaded.settings))


def _texts(tree: Json) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree.strip()
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from _texts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value)
