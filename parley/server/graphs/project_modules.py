"""The modules of somebody's project, taken out of the import system to be imported anew."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from parley.server.graphs.projects import Project, is_theirs


class ProjectModules:
    """Knows which modules are the project's: those from its folders that were not there before it."""

    def __init__(self) -> None:
        self._before = frozenset(sys.modules)

    def files(self, project: Project) -> tuple[Path, ...]:
        """Return the files of the project's code that was imported so far."""
        return tuple(sorted({_file(module) for module in self._own(project).values()}))

    @contextmanager
    def forgotten(self, project: Project) -> Iterator[None]:
        """Have imports within the block read the project's files again.

        Who holds the old modules, such as a run under way, goes on with them. Where the block raises, they
        are put back.
        """
        old = self._own(project)
        for name, module in old.items():
            del sys.modules[name]
            _drop_bytecode(module)
        importlib.invalidate_caches()
        try:
            yield
        except BaseException:
            for name in self._own(project):
                del sys.modules[name]
            sys.modules.update(old)
            raise

    def _own(self, project: Project) -> Mapping[str, ModuleType]:
        roots = project.roots
        # Copied at once: a thread may import something meanwhile.
        found = {name: each for name, each in sys.modules.copy().items() if name not in self._before}
        return {
            name: module
            for name, module in found.items()
            if getattr(module, "__file__", None)
            and name.partition(".")[0] != __name__.partition(".")[0]
            and is_theirs(_file(module), roots)
        }


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__)).resolve()


def _drop_bytecode(module: ModuleType) -> None:
    """Remove what Python keeps of a file: it takes an edit within the same second for none."""
    cached = getattr(module, "__cached__", None)
    if cached:
        with suppress(OSError):
            Path(cached).unlink()
