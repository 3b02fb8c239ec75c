"""Files with secrets that others on this machine can read, and what they can do about it."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from parley.app.checks.findings import Findings, problem_at
from parley.app.process.logs import find_secrets
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.problems import ConfigProblem
from parley.core.model.types import Json

_OTHERS = 0o077


def find_exposed_files(loaded: LoadedSettings) -> Findings:
    """Return a remark on each that others reach: `.env`, a configuration with secrets, the data folder."""
    return Findings(remarks=tuple(_exposed(loaded)))


def _exposed(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    file = loaded.folder / ".env"
    if _reached(file):
        yield ConfigProblem((), f"{file} can be read by others on this machine; run: chmod 600 {file}")
    config = loaded.folder / Path(loaded.origin).name
    if config.is_file() and _reached(config) and _holds_secrets(loaded):
        remedy = f"move them to .env, or run: chmod 600 {config}"
        yield ConfigProblem((), f"{config} holds secrets and can be read by others on this machine; {remedy}")
    if _reached(loaded.data_dir):
        text = f"others on this machine can enter {loaded.data_dir}; run: chmod 700 {loaded.data_dir}"
        yield problem_at(loaded, ("data_dir",), text)


def _reached(path: Path) -> bool:
    """Tell whether anybody but its owner may do anything with it. What is not there is not reached."""
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & _OTHERS)
    except OSError:
        return False


def _holds_secrets(loaded: LoadedSettings) -> bool:
    """Tell whether a secret is written in the file itself, and not taken from a variable."""
    written = set(_texts(loaded.source.tree))
    return not written.isdisjoint(find_secrets(loaded.settings))


def _texts(tree: Json) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree.strip()
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from _texts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value)
