"""How this Parley was installed: its command, and packages of `parley-bridge[slack]` and the like."""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parley.core.model.errors import ConfigError

_DISTRIBUTION = "parley-bridge"
_ROOT = Path(__file__).parents[2]
_UV_RECEIPT, _PIPX_RECEIPT = "uv-receipt.toml", "pipx_metadata.json"
_UVX_FOLDER, _PIPX_RUN_FOLDER = "archive-v0", ".cache"
"""Of an environment that is made for one run, and deleted when it pleases."""


def own_command() -> str:
    """Return what a user of this installation types before the name of a command."""
    prefix = Path(sys.prefix)
    if _is_checkout():
        return _from_here(prefix / "bin" / "parley")
    if _UVX_FOLDER in prefix.parts:
        return f"uvx {_DISTRIBUTION}"
    if (prefix / _PIPX_RECEIPT).exists() and prefix.parent.name == _PIPX_RUN_FOLDER:
        return f"pipx run {_DISTRIBUTION}"
    return "parley"


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra the way that Parley itself was installed."""
    prefix, wanted = Path(sys.prefix), f"'{_DISTRIBUTION}[{extra}]'"
    if _is_checkout():
        python, wanted = _from_here(prefix / "bin" / "python"), _from_here(_ROOT, f"[{extra}]")
        return f"{python} -m pip install -e {wanted}"
    if (prefix / _UV_RECEIPT).exists():
        # `uv tool install` replaces the environment: what was asked for before is asked for again.
        extras = sorted({extra, *_extras_of_receipt(prefix / _UV_RECEIPT)})
        return f"uv tool install '{_DISTRIBUTION}[{','.join(extras)}]'"
    if (prefix / _PIPX_RECEIPT).exists():
        once = prefix.parent.name == _PIPX_RUN_FOLDER
        return f"pipx run --spec {wanted} parley" if once else f"pipx inject {_DISTRIBUTION} {wanted}"
    if _UVX_FOLDER in prefix.parts:
        return f"uvx {wanted}"
    return f"pip install {wanted}"


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


def _is_checkout() -> bool:
    return (_ROOT / "pyproject.toml").exists()


def _from_here(path: Path, behind: str = "") -> str:
    """Return a path, and what stands behind it, as they are typed in the current folder."""
    here = Path.cwd()
    return shlex.quote(f"{path.relative_to(here) if path.is_relative_to(here) else path}{behind}")


def _extras_of_receipt(receipt: Path) -> Iterator[str]:
    """Yield the extras that uv noted for its tool; a file of another form has none."""
    try:
        tool = tomllib.loads(receipt.read_text("utf-8")).get("tool", {})
        requirements = tool.get("requirements", ())
    except (OSError, ValueError, AttributeError):
        return
    for each in requirements if isinstance(requirements, list) else ():
        if isinstance(each, dict) and each.get("name") == _DISTRIBUTION:
            yield from (str(name) for name in each.get("extras", ()))
