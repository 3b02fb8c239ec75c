"""The environment, with `.env` behind it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

from parley.core.model.errors import ConfigError


def with_dotenv(environ: Mapping[str, str], file: Path) -> dict[str, str]:
    """`environ` over what `file` says; a file that is not there says nothing. Raises ConfigError."""
    try:
        written = dotenv_values(file, interpolate=False) if file.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{file.name}: cannot be read as UTF-8 text; check its permissions and contents"
        ) from error
    return {**{name: value for name, value in written.items() if value}, **environ}
