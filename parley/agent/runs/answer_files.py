"""The files of an answer, from wherever the agent put them to our disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from parley.agent.files.outgoing import EncodedFile, RemoteFile, SavedFiles, extract_files, save_files
from parley.agent.files.state_files import named_files
from parley.agent.files.web_address import NotFetched
from parley.agent.stream.final_answer import FinalAnswer
from parley.agent.transport.artifacts import ThreadFiles
from parley.core.model.errors import AgentError, AgentUnreadable

_UNTYPED = ""


@dataclass(frozen=True, slots=True)
class AnswerFiles:
    """Puts files under `folder`. `kept` has those that an agent keeps on its server."""

    folder: Path
    kept: ThreadFiles

    async def save(self, final: FinalAnswer, thread: str, turn: str) -> SavedFiles:
        """Fetch and write all files of a turn's answer. Raises StoreUnavailable."""
        files: list[EncodedFile | RemoteFile] = [
            *named_files(final.written, final.text),
            *(self._presented(thread, path) for path in final.presented),
            *extract_files(final.contents),
        ]
        if not files:
            return SavedFiles()
        # A folder a turn; turn ids are not ours to put into a path as they are.
        return await save_files(files, self.folder / uuid5(NAMESPACE_URL, turn).hex)

    def _presented(self, thread: str, path: str) -> RemoteFile:
        return RemoteFile(path.rstrip("/").rpartition("/")[2], partial(self._fetch, thread, path))

    async def _fetch(self, thread: str, path: str, most: int) -> tuple[bytes, str]:
        try:
            content = await self.kept.fetch(thread, path, most)
        except AgentError as error:
            raise NotFetched(error.reason, too_large=isinstance(error, AgentUnreadable)) from error
        return content, _UNTYPED
