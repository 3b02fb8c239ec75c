"""The files of the built-in agent's threads, for exports and erasures; also while workspaces are off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import WORKSPACES
from parley.core.privacy.sources import ExportPiece
from parley.server.workspace.folder import WorkspaceFolder
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.workspaces import Workspaces


class WorkspaceFiles:
    """Implements the port `ThreadWorkspaces` on the folder that has a workspace for each thread."""

    def __init__(self, root: Path) -> None:
        self._workspaces = Workspaces(root)

    async def pieces(self, thread: str) -> AsyncIterator[ExportPiece | None]:
        folder = await asyncio.to_thread(self._workspaces.find, thread)
        if folder is not None:
            for path in await asyncio.to_thread(_paths, folder):
                yield await asyncio.to_thread(_piece, folder, path)

    async def erase(self, thread: str) -> int:
        return await asyncio.to_thread(self._erase, thread)

    def _erase(self, thread: str) -> int:
        folder = self._workspaces.find(thread)
        if folder is None:
            return 0
        number = len(_paths(folder))
        self._workspaces.delete(thread)
        return number


def workspace_files(loaded: LoadedSettings) -> WorkspaceFiles:
    """Return those of this data folder."""
    return WorkspaceFiles(loaded.data_dir / WORKSPACES)


def _paths(folder: WorkspaceFolder) -> list[str]:
    return [entry.path for entry in folder.walk() if not entry.is_folder]


def _piece(folder: WorkspaceFolder, path: str) -> ExportPiece | None:
    """Return a file; None for a link, a name that no agent's tool can write, or one that is gone."""
    try:
        return ExportPiece(path.removeprefix("/"), folder.read(path))
    except (PathRefused, FileNotFoundError):
        return None
