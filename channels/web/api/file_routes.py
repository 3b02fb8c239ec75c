"""The web API's files: uploads in, downloads out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from parley.channels.web.api.http_errors import WebApiError, with_error_responses
from parley.channels.web.api.multipart_upload import receive_file
from parley.channels.web.api.request_bodies import path_id, queried_place
from parley.channels.web.chat.transcript import ChatTranscript
from parley.channels.web.files.file_ref import FileRef
from parley.channels.web.files.upload_store import UploadStore

# Only what a browser shows without running anything keeps its type; SVG, HTML and PDF do not.
_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})

MOST_LISTED = 1_000
"""Files that a list has at most."""


class FileApi:
    """Handlers under `/api/chat/uploads` and `/api/chat/files`, and the list of a conversation's files."""

    def __init__(self, shelf: UploadStore, transcript: ChatTranscript, limit: int) -> None:
        self._shelf = shelf
        self._transcript = transcript
        self._limit = limit

    def routes(self) -> Sequence[BaseRoute]:
        """Return the API's routes."""
        return (
            Route("/api/chat/uploads/{file}", with_error_responses(self.upload), methods=["POST"]),
            Route("/api/chat/uploads/{file}", with_error_responses(self.discard), methods=["DELETE"]),
            Route("/api/chat/files/{file}", with_error_responses(self.download), methods=["GET"]),
            Route("/api/chat/conversations/{chat}/files", with_error_responses(self.listed), methods=["GET"]),
        )

    async def listed(self, request: Request) -> Response:
        """Return the files that were sent and delivered in a conversation or a topic, newest first."""
        files = await self._transcript.files(queried_place(request), MOST_LISTED)
        return JSONResponse({"files": [asdict(each) for each in files], "most": MOST_LISTED})

    async def upload(self, request: Request) -> Response:
        """Take one multipart file under an id the page made; the same id again is answered alike."""
        file_id = path_id(request, "file")
        known = await self._shelf.get(file_id)
        if known is None:
            draft = self._shelf.draft(file_id)
            sent = await receive_file(request, draft, self._limit)
            known = await self._shelf.commit_upload(file_id, draft, sent.name, sent.mime)
        return JSONResponse(_json(known), 201)

    async def discard(self, request: Request) -> Response:
        """Remove an upload that was not sent with a message."""
        await self._shelf.discard(path_id(request, "file"))
        return Response(status_code=204)

    async def download(self, request: Request) -> Response:
        """Return a file's bytes, always as an attachment and never as something a browser would run."""
        file_id = path_id(request, "file")
        known = await self._shelf.get(file_id)
        if known is None or not (path := await self._shelf.ensure_local(file_id)).is_file():
            raise WebApiError(404, "file_gone", "This file is no longer there.")
        return FileResponse(
            path,
            media_type=known.mime if known.mime in _SHOWN else "application/octet-stream",
            filename=known.name,
            headers={"x-content-type-options": "nosniff", "cache-control": "private, max-age=86400"},
        )


def _json(file: FileRef) -> dict[str, str | int]:
    return {"id": file.id, "name": file.name, "mime": file.mime, "size": file.size, "kind": file.kind.value}
