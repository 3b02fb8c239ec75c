"""The tools of the default agent on its files."""

from __future__ import annotations

import asyncio

from deepagents.middleware.filesystem import FilesystemMiddleware, FsToolName
from langchain_core.tools import BaseTool, tool

from parley.server.default_agent.files.backend import WorkspaceBackend
from parley.server.default_agent.tools.rules import CONFINED
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.workspaces import Workspaces

_NAMES: list[FsToolName] = ["ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep"]
_READS, _REPEATS = "readOnlyHint", "idempotentHint"
_HINTS = {
    **dict.fromkeys(("ls", "read_file", "glob", "grep"), (_READS,)),
    **dict.fromkeys(("write_file", "delete"), (CONFINED, _REPEATS)),
    "edit_file": (CONFINED,),
}
_MOST_PRESENTED = 20


def file_tools(workspaces: Workspaces) -> list[BaseTool]:
    """Return the tools."""
    backend = WorkspaceBackend(workspaces)
    # Its tools only: what else the middleware does (large results, pictures) is done here for all tools.
    made = FilesystemMiddleware(backend=backend, tools=_NAMES).tools
    for each in made:
        each.metadata = dict.fromkeys(_HINTS[each.name], True)
    return [*made, _present_files(backend)]


def _present_files(backend: WorkspaceBackend) -> BaseTool:
    @tool
    async def present_files(filepaths: list[str]) -> str:
        """Give files of the workspace to the person: they come with your answer.

        `filepaths` are their paths, such as `/report.pdf`. Nobody sees a file that is not presented.
        """
        if len(filepaths) > _MOST_PRESENTED:
            raise ValueError(f"present {_MOST_PRESENTED} files at most; put more into an archive")
        await asyncio.to_thread(_check, backend, filepaths)
        return f"Presented: {', '.join(filepaths)}"

    present_files.metadata = {_READS: True}
    return present_files


def _check(backend: WorkspaceBackend, paths: list[str]) -> None:
    folder = backend.folder()
    for path in paths:
        try:
            folder.read(path)
        except PathRefused as error:
            raise ValueError(str(error)) from error
