"""What the built-in agent keeps of people, for exports and erasures; also while it is elsewhere, or off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import ACCOUNTS, WORKSPACES
from parley.core.model.address import User, account_key
from parley.core.privacy.sources import ExportPiece

if TYPE_CHECKING:  # loaded when somebody's data are exported or erased
    from parley.server.accounts.files import AccountFiles
    from parley.server.workspace.folder import WorkspaceFolder
    from parley.server.workspace.workspaces import Workspaces


class McpAccounts:
    """What is kept of people who have signed in. An export names the servers, and none of what opens them."""

    def __init__(self, loaded: LoadedSettings) -> None:
        self._folder = loaded.data_dir / ACCOUNTS

    async def kept(self, user: User) -> AsyncIterator[ExportPiece]:
        """Yield the names of the servers."""
        if servers := self._files().servers(account_key(user)):
            yield ExportPiece("mcp-accounts.json", json.dumps({"signed_in": servers}).encode())

    async def erase(self, user: User) -> int:
        """Remove what opens them; returns how many there were."""
        return self._files().erase(account_key(user))

    def _files(self) -> AccountFiles:
        from parley.server.accounts.files import AccountFiles

        return AccountFiles(self._folder)


class WorkspaceFiles:
    """Implements the port `ThreadWorkspaces` on the folder that has a workspace for each thread."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def pieces(self, thread: str) -> AsyncIterator[ExportPiece | None]:
        folder = await asyncio.to_thread(self._workspaces().find, thread)
        if folder is not None:
            for path in await asyncio.to_thread(_paths, folder):
                yield await asyncio.to_thread(_piece, folder, path)

    async def erase(self, thread: str) -> int:
        return await asyncio.to_thread(self._erase, thread)

    def _erase(self, thread: str) -> int:
        workspaces = self._workspaces()
        folder = workspaces.find(thread)
        if folder is None:
            return 0
        number = len(_paths(folder))
        workspaces.delete(thread)
        return number

    def _workspaces(self) -> Workspaces:
        from parley.server.workspace.workspaces import Workspaces

        return Workspaces(self._root)


def workspace_files(loaded: LoadedSettings) -> WorkspaceFiles:
    """Return those of this data folder."""
    return WorkspaceFiles(loaded.data_dir / WORKSPACES)


def _paths(folder: WorkspaceFolder) -> list[str]:
    return [entry.path for entry in folder.walk() if not entry.is_folder]


def _piece(folder: WorkspaceFolder, path: str) -> ExportPiece | None:
    """Return a file; None for a link, a name that no agent's tool can write, or one that is gone."""
    from parley.server.workspace.paths import PathRefused

    try:
        return ExportPiece(path.removeprefix("/"), folder.read(path))
    except (PathRefused, FileNotFoundError):
        return None
