"""Graphs in somebody's project: its code is imported as its author runs it."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from uuid import NAMESPACE_DNS, uuid5

from parley.core.model.errors import ConfigError

log = logging.getLogger(__name__)

_PACKAGE = "__init__.py"


@dataclass(frozen=True, slots=True)
class Project:
    """The folder of somebody's code, more folders that it imports from, and variables that it needs."""

    root: Path | None = None
    folders: tuple[Path, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def paths(self) -> Sequence[Path]:
        """Return the folders that names are looked up in: of each its `src` first."""
        return [place for folder in self.roots for place in (folder / "src", folder) if place.is_dir()]

    @property
    def roots(self) -> Sequence[Path]:
        """Return its folders."""
        return [folder.resolve() for folder in (self.root, *self.folders) if folder is not None]

    def prepare(self) -> None:
        """Let its code find its modules and variables; what the environment has already stays."""
        for name, value in self.environ.items():
            os.environ.setdefault(name, value)
        _put_first(self.paths)


NO_PROJECT = Project()
"""Nothing is known of where the code is from."""


def import_attribute(place: str, spec: str, project: Project) -> object:
    """Import `file.py:name` or `module:name`; `place` is the setting that names it.

    The folders of the project come first on the import path, and stay there: what a graph imports later is
    found as well. Raises ConfigError; where the code itself raised, with its file and line.
    """
    target, _, attribute = spec.rpartition(":")
    if not target or not attribute:
        raise ConfigError(f"{place}: write module:attribute or file.py:attribute, not {spec!r}")
    project.prepare()
    try:
        if target.endswith(".py"):
            module = _from_file(Path(target), project)
        else:
            module = importlib.import_module(target)
    except (Exception, SystemExit) as error:
        log.debug("%s: %s cannot be imported", place, target, exc_info=True)
        raise ConfigError(f"{place}: {target} cannot be imported: {_told(error, project)}") from error
    if not hasattr(module, attribute):
        raise ConfigError(f"{place}: {target} has no {attribute!r}")
    found: object = getattr(module, attribute)
    return found


def place_in(folder: Path, place: str) -> str:
    """Return where an attribute is: its file, if it names one, beside a configuration in this folder."""
    file, _, attribute = place.rpartition(":")
    return f"{folder / file}:{attribute}" if file.endswith(".py") else place


def _put_first(folders: Sequence[Path]) -> None:
    missing = [str(folder) for folder in folders if str(folder) not in sys.path]
    sys.path[:0] = missing


def _from_file(path: Path, project: Project) -> ModuleType:
    """Import a file under the name that its project gives it, once, so that its classes can be unpickled."""
    path = path.resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    if not (path.parent / _PACKAGE).exists():
        _put_first([path.parent])  # what stands beside a script is imported by its bare name
    module = next((found for name in _names(path, project) if (found := _imported(name, path))), None)
    module = module or _loaded(f"parley_graph_{_digest(_relative(path, project))}", path)
    # Checkpoints that were written before names came from the project have classes under this one.
    sys.modules.setdefault(f"parley_graph_{_digest(path)}", module)
    return module


def _names(path: Path, project: Project) -> Iterator[str]:
    """Yield the names under which a file may be imported: as a part of its package, then by its place."""
    top = path.parent
    while (top / _PACKAGE).exists():
        top = top.parent
    _put_first([top] if top != path.parent else [])
    for base in (top, *project.paths) if top != path.parent else (*project.paths, path.parent):
        if path.is_relative_to(base):
            parts = path.relative_to(base).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            if parts and all(part.isidentifier() for part in parts):
                yield ".".join(parts)


def _imported(name: str, path: Path) -> ModuleType | None:
    """Import a name; None where it is that of another file."""
    known = sys.modules.get(name)
    if known is None:
        found = importlib.util.find_spec(name)
        if found is None or not found.origin or Path(found.origin).resolve() != path:
            return None
        known = importlib.import_module(name)
    file = getattr(known, "__file__", None)
    return known if file and Path(file).resolve() == path else None


def _loaded(name: str, path: Path) -> ModuleType:
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(path):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no Python file at {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _relative(path: Path, project: Project) -> Path:
    """Return the path within the project, which stays when that is moved."""
    inside = [root for root in project.roots if path.is_relative_to(root)]
    return path.relative_to(inside[0]) if inside else path


def _digest(path: Path) -> str:
    return uuid5(NAMESPACE_DNS, str(path)).hex


def _told(error: BaseException, project: Project) -> str:
    """Return what was raised and, where it was raised in the project's own code, in which line."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if is_theirs(Path(frame.filename), project.roots)]
    where = f"{theirs[-1].filename}, line {theirs[-1].lineno}: " if theirs else ""
    remedy = f"; install it into {sys.prefix}" if isinstance(error, ModuleNotFoundError) else ""
    return f"{where}{type(error).__name__}: {error}{remedy}"


def is_theirs(file: Path, roots: Sequence[Path]) -> bool:
    """Return whether a file is of the project's own code."""
    inside = any(file.is_relative_to(root) for root in roots)
    return inside and not any(part in ("site-packages", "dist-packages") for part in file.parts)
