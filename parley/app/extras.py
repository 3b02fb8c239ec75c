"""Packages that are installed where they are wanted: `parley-bridge[slack]` and the like."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from parley.core.model.errors import ConfigError

_DISTRIBUTION = "parley-bridge"


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra, in a checkout into its environment."""
    try:
        version(_DISTRIBUTION)
    except PackageNotFoundError:
        return f".venv/bin/python -m pip install -e '.[{extra}]'"
    return f"pip install '{_DISTRIBUTION}[{extra}]'"


@contextmanager
def require_extra(extra: str, place: str) -> Iterator[None]:
    """Raise ConfigError for packages that imports inside do not find; `place` is what wants them."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "parley"):
            raise
        raise ConfigError(f"{place}: {package} is not installed; run: {install_command(extra)}") from error
