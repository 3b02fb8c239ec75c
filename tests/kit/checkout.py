"""The checkout as the architecture tests see it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "parley" / "app" / "settings" / "default.yaml"
"""The configuration as it is shipped: the one at the top is its users' to edit."""
PACKAGES = ("benchmarks", "channels", "memory", "parley")
"""The folders of our code; what is linked in another is found at its own place."""
IMPORTED_AS = ("benchmarks", "parley")
OFFICIAL_VENV = Path(os.environ.get("PARLEY_CONFORMANCE_VENV", ROOT / ".venv-conformance"))
"""The environment of LangGraph's development server, and of agents that packages of others build."""
USER_DATA = ROOT / ".pytest_cache" / "user-data"
"""Where a Parley goes that is set up nowhere: not into the folder of whoever runs the tests."""
_NOT_OURS = {
    ".git",
    "__pycache__",
    "data",
    "backups",
    "screenshots",
    "output",
    "node_modules",
    "parley_bridge.egg-info",
    "build",
    "dist",
}


def files() -> Iterator[Path]:
    """Every file that is or will be committed, but for those that users edit."""
    return (path for path in _walk(ROOT) if path not in {ROOT / ".env", ROOT / "config.yaml"})


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path == ROOT / "site":  # the documents' site, built
            continue
        if path.name in _NOT_OURS or path.name.startswith(".venv") or path.name.endswith("_cache"):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        elif path.name != ".git" and path.is_file():
            yield path


def modules(*packages: str) -> list[Path]:
    """The Python files of packages (all production ones by default)."""
    return [path for package in packages or PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def modules_with(pattern: str, *packages: str) -> list[Path]:
    """Those of them whose text matches a pattern: to parse all of the project takes ten seconds."""
    return [path for path in modules(*packages) if re.search(pattern, path.read_text("utf-8"))]


def name(path: Path) -> str:
    """A path as messages show it."""
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    """The name under which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join((() if parts[0] in IMPORTED_AS else ("parley",)) + parts).removesuffix(".__init__")


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def channel_folders() -> list[str]:
    """The names of the platforms."""
    return sorted(
        config.parent.name
        for config in (ROOT / "channels").glob("*/config.py")
        if config.parent.name != "kit"
    )
