"""Deep Agents' tools on files, on the workspace of the thread that runs."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from deepagents.backends.protocol import (
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileData,
    FileInfo,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)
from deepagents.backends.utils import perform_string_replacement, slice_read_response
from langgraph.config import get_config

from parley.server.workspace.entries import WorkspaceEntry, WorkspaceFull
from parley.server.workspace.folder import WorkspaceFolder
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.workspaces import Workspaces

_MOST_PATTERN = 100
_MOST_WILDCARDS = 6
_MOST_FOUND = 1_000
_MOST_SEARCHED = 2_000_000
_MOST_LINE = 500


def running_thread() -> str:
    """Return the id of the thread whose run calls this."""
    return str(get_config().get("configurable", {}).get("thread_id", ""))


class WorkspaceBackend(BackendProtocol):
    """Finds the folder by the thread of the run; every refusal is a result for the model."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    def folder(self) -> WorkspaceFolder:
        """Return the folder of the run's thread."""
        return self._workspaces.of(running_thread())

    def ls(self, path: str) -> LsResult:
        """List a folder."""
        try:
            return LsResult(entries=[_info(entry) for entry in self.folder().entries(path)])
        except PathRefused as error:
            return LsResult(error=str(error))

    def read(self, file_path: str, offset: int = 0, limit: int = 2_000) -> ReadResult:
        """Read lines of a text, or a whole file that is none."""
        try:
            content = self.folder().read(file_path)
        except PathRefused as error:
            return ReadResult(error=str(error))
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return ReadResult(file_data=_binary(content))
        return slice_read_response(FileData(content=text, encoding="utf-8"), offset, limit)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Write a text."""
        try:
            self.folder().write(file_path, _encoded(content))
        except PathRefused as error:
            return WriteResult(error=f"Error: {error}")
        return WriteResult(path=file_path)

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
    ) -> EditResult:
        """Replace a part of a text."""
        folder = self.folder()
        try:
            with folder.changed(file_path) as (content, write):
                text = content.decode()
                if replace_all and old_string:
                    _check_growth(folder, text, old_string, new_string)
                replaced = perform_string_replacement(text, old_string, new_string, replace_all)
                if isinstance(replaced, str):
                    return EditResult(error=replaced)
                write(_encoded(replaced[0]))
        except UnicodeDecodeError:
            return EditResult(error=f"Error: {file_path}: it is no text")
        except PathRefused as error:
            return EditResult(error=f"Error: {error}")
        return EditResult(path=file_path, occurrences=replaced[1])

    def delete(self, file_path: str) -> DeleteResult:
        """Delete a file or folder."""
        try:
            self.folder().delete(file_path)
        except (PathRefused, OSError) as error:
            return DeleteResult(error=f"Error: {error}")
        return DeleteResult(path=file_path)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by a pattern of their names, or of their paths where it has a slash."""
        try:
            found = [_info(entry) for entry in self._files(path, pattern)]
        except PathRefused as error:
            return GlobResult(error=str(error))
        return GlobResult(matches=found[:_MOST_FOUND], truncated=len(found) > _MOST_FOUND)

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Find the lines of texts that have these words."""
        found: list[GrepMatch] = []
        most = min(max_count or _MOST_FOUND, _MOST_FOUND)
        try:
            for match in self._lines(pattern, path, glob):
                if len(found) >= most:
                    return GrepResult(matches=found, truncated=True)
                found.append(match)
        except PathRefused as error:
            return GrepResult(error=str(error))
        return GrepResult(matches=found)

    def _lines(self, words: str, path: str | None, pattern: str | None) -> Iterator[GrepMatch]:
        folder = self.folder()
        for entry in self._files(path, pattern or "*"):
            try:
                text = folder.read(entry.path, _MOST_SEARCHED).decode()
            except (PathRefused, UnicodeDecodeError):
                continue  # no text that can be searched
            for number, line in enumerate(text.splitlines(), 1):
                if words in line:
                    yield GrepMatch(path=entry.path, line=number, text=line[:_MOST_LINE])

    def _files(self, path: str | None, pattern: str) -> Iterator[WorkspaceEntry]:
        """Yield the files below a path that a pattern fits. Raises PathRefused."""
        fits, below = _matcher(pattern), f"/{(path or '').strip('/')}".rstrip("/")
        for entry in self.folder().walk():
            inside = entry.path == below or entry.path.startswith(f"{below}/")
            if inside and not entry.is_folder and fits(entry.path[len(below) :].lstrip("/") or entry.path):
                yield entry


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a path fits. Raises PathRefused for a pattern that would take long."""
    if len(pattern) > _MOST_PATTERN or sum(pattern.count(sign) for sign in "*?[") > _MOST_WILDCARDS:
        raise PathRefused(f"the pattern {pattern[:_MOST_PATTERN]} is too long")
    if "/" not in pattern:
        return lambda path: fnmatchcase(path.rpartition("/")[2], pattern)
    anchored = pattern.lstrip("/")
    # `**/` is also no folder at all.
    forms = {anchored, anchored.replace("**/", "")}
    return lambda path: any(fnmatchcase(path, form) for form in forms)


def _check_growth(folder: WorkspaceFolder, text: str, old: str, new: str) -> None:
    """Raise WorkspaceFull for a text that would become too long, before it takes the memory for it."""
    size = len(text) + text.count(old) * (len(new) - len(old))
    if size > folder.largest:
        raise WorkspaceFull(f"the file would have {size} characters; it may have {folder.largest} bytes")


def _encoded(text: str) -> bytes:
    """Return a text as a file has it; a lone surrogate is none."""
    return text.encode(errors="replace")


def _binary(content: bytes) -> FileData:
    return FileData(content=base64.b64encode(content).decode(), encoding="base64")


def _info(entry: WorkspaceEntry) -> FileInfo:
    changed = datetime.fromtimestamp(entry.changed, UTC).isoformat()
    return FileInfo(path=entry.path, is_dir=entry.is_folder, size=entry.size, modified_at=changed)
