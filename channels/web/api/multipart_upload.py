"""A multipart upload of one file, streamed to disk under a cap."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from parley.channels.web.api.http_errors import WebApiError
from parley.channels.web.files.upload_store import clean_name

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """What the sender says of a file; its bytes are on disk."""

    name: str
    mime: str


class _FilePart:
    """Collects the first part that has a file name; other parts are skipped."""

    def __init__(self) -> None:
        self.name = ""
        self.mime = ""
        self.seen = False
        self.waiting: list[bytes] = []
        self._inside = False
        self._field = b""
        self._value = b""
        self._headers: dict[bytes, bytes] = {}

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._data,
            "on_part_end": self._end,
        }

    def _begin(self) -> None:
        self._headers = {}

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field = self._value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if b"filename" in options and not self.seen:
            self.name = clean_name(options[b"filename"].decode("utf-8", "replace"))
            self.mime = self._headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip()
            self.seen = self._inside = True

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._inside:
            self.waiting.append(data[start:end])

    def _end(self) -> None:
        self._inside = False


async def receive_file(request: Request, into: Path, limit: int) -> UploadedFile:
    """Write the request's file to `into`. Raises WebApiError for what is too large or not multipart;
    then, and when the sender goes away, nothing is left on disk."""
    kind, options = parse_options_header(request.headers.get("content-type", "").encode("latin-1", "replace"))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise WebApiError(415, "not_multipart", "Files are sent as multipart/form-data.")
    declared = request.headers.get("content-length", "")
    # Headers and boundaries around one file take well under 64 kB.
    if declared.isascii() and declared.isdigit() and len(declared) < 20 and int(declared) > limit + 65_536:
        raise _too_large(limit)
    part = _FilePart()
    try:
        await _stream(request, part, MultipartParser(options[b"boundary"], part.callbacks()), into, limit)
    except BaseException:
        await asyncio.to_thread(into.unlink, missing_ok=True)
        raise
    return UploadedFile(part.name, part.mime)


async def _stream(request: Request, part: _FilePart, parser: MultipartParser, into: Path, limit: int) -> None:
    size = 0
    file = await asyncio.to_thread(into.open, "wb")
    try:
        async for chunk in request.stream():
            parser.write(chunk)
            data = b"".join(part.waiting)
            part.waiting.clear()
            size += len(data)
            if size > limit:
                raise _too_large(limit)
            await asyncio.to_thread(file.write, data)
        parser.finalize()
    except FormParserError as problem:
        raise WebApiError(400, "bad_multipart", "The upload is damaged.") from problem
    except ClientDisconnect as gone:
        raise WebApiError(400, "gone", "The upload was broken off.") from gone
    finally:
        await asyncio.to_thread(file.close)
    if not part.seen:
        raise WebApiError(400, "no_file", "The upload has no file in it.")


def _too_large(limit: int) -> WebApiError:
    return WebApiError(413, "too_large", f"The file is larger than {limit / 1_000_000:g} MB.")
