"""Files of threads: uploads for the agent, and what it delivered."""

from __future__ import annotations

import asyncio
import mimetypes
from os import PathLike
from pathlib import Path
from uuid import uuid4

from parley.app.openapi.answers import FilesAnswer
from parley.channels.web.files.file_ref import FileRef
from parley.client.connection import Connection, parse
from parley.client.paths import api_path
from parley.client.threads import thread_path

FileSource = FileRef | str | PathLike[str]
"""A file that was uploaded, or where one is on this machine."""


class FilesClient:
    """Files by id; each method raises ClientError, with status 404 for what is not there."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def upload(self, file: str | PathLike[str] | bytes, name: str = "") -> FileRef:
        """Upload a file, or bytes under a name, for a message that is to have it. Raises OSError too."""
        content = file if isinstance(file, bytes) else await asyncio.to_thread(Path(file).read_bytes)
        name = name or (Path("file") if isinstance(file, bytes) else Path(file)).name
        mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
        path = api_path("chat", "uploads", uuid4().hex)
        response = await self._connection.upload(path, name, content, mime)
        return parse(FileRef, response.content)

    async def ensure_uploaded(self, file: FileSource) -> FileRef:
        """Return a file that was uploaded; one of this machine is. Raises OSError too."""
        return file if isinstance(file, FileRef) else await self.upload(file)

    async def discard(self, file: FileRef | str) -> None:
        """Remove an upload that was not sent."""
        await self._connection.send("DELETE", api_path("chat", "uploads", _id(file)))

    async def list(self, thread: str, *, topic: str = "") -> FilesAnswer:
        """Return the files of a thread that were sent and that the agent delivered, newest first."""
        path = thread_path(thread, "files")
        return await self._connection.ask(FilesAnswer, "GET", path, topic=topic)

    async def read(self, file: FileRef | str) -> bytes:
        """Return the bytes of a file."""
        return (await self._connection.send("GET", api_path("chat", "files", _id(file)))).content


def _id(file: FileRef | str) -> str:
    return file.id if isinstance(file, FileRef) else file
