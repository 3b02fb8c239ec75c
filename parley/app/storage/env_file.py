"""The file `.env`: what is added to it, readable by nobody else."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from parley.app.settings.parsing.dotenv import with_dotenv
from parley.core.model.errors import ConfigError, ParleyError

_VALUE = re.compile(r"[\w.:/+=@~-]{1,4096}\Z", re.ASCII)


def require_unset(
    path: Path, names: Iterable[str], environ: Mapping[str, str], replace: bool = False
) -> None:
    """Raise ConfigError where a variable has a value already: nothing is written over in silence.

    With `replace` the file may have them, but not the environment, which wins over the file.
    """
    wanted, known = tuple(names), with_dotenv({}, path)
    if set_here := [name for name in wanted if environ.get(name)]:
        raise ConfigError(f"{', '.join(set_here)} are set in the environment, which {path} cannot change")
    if taken := [name for name in wanted if known.get(name) and not replace]:
        raise ConfigError(f"{path}: {', '.join(taken)} are set already; remove them there, or use --replace")


def write_variables(path: Path, variables: Mapping[str, str]) -> None:
    """Set variables in the file: in the place of lines for them, else at its end. Raises ParleyError.

    A value that would not be read back as it is, such as one with spaces, is refused.
    """
    unreadable = [name for name, value in variables.items() if not _VALUE.match(value)]
    if unreadable:
        raise ConfigError(f"{', '.join(unreadable)}: a value has characters that {path} cannot hold")
    try:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text; check its permissions") from error
    left = dict(variables)
    for number, line in enumerate(lines):
        name = line.partition("=")[0].strip().removeprefix("export ").strip()
        if name in variables:
            # A name that is there twice has its last value.
            lines[number] = f"{name}={variables[name]}"
            left.pop(name, None)
    lines += [f"{name}={value}" for name, value in left.items()]
    _replace(path, "\n".join(lines) + "\n")


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise ParleyError(f"{path} cannot be written: {error.strerror}.") from error
