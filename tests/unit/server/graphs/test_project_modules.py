"""The modules of a project are found while something is imported on another thread."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from parley.server.graphs.project_modules import ProjectModules
from parley.server.graphs.projects import Project


class _Imports(dict[str, ModuleType]):
    """The import system's own table, into which another thread imports while it is gone through."""

    def items(self) -> Any:  # noqa: ANN401 - as the original
        for entry in super().items():
            yield entry
            self[f"imported_meanwhile_{len(self)}"] = ModuleType("imported_meanwhile")


def test_files_are_told_while_another_thread_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modules = ProjectModules()
    own = ModuleType("my_own_agent")
    own.__file__ = str(tmp_path / "my_own_agent.py")
    monkeypatch.setattr(sys, "modules", _Imports({**sys.modules, own.__name__: own}))
    assert modules.files(Project(tmp_path)) == (tmp_path / "my_own_agent.py",)
