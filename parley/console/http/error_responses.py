"""Answers for what the machine lacks just now: room on the disk, descriptors, the store."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("parley.console")

_SHORTAGES = {
    errno.ENOSPC: ("disk_full", "The disk is full. Nothing was taken; please send it again."),
    errno.EDQUOT: ("disk_full", "The disk quota is used up. Nothing was taken; please send it again."),
    errno.EROFS: ("disk_read_only", "The disk is read-only. Nothing was taken; please send it again."),
    errno.EMFILE: ("too_many_files", "Too many files are open. Nothing was taken; please send it again."),
    errno.ENFILE: ("too_many_files", "Too many files are open. Nothing was taken; please send it again."),
}


class ReadinessRecheck:
    """Calls `doubt` at each answer of 503, so that readiness is looked at anew."""

    def __init__(self, app: ASGIApp, doubt: Callable[[], None]) -> None:
        self._app = app
        self._doubt = doubt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 503:
                self._doubt()
            await send(message)

        await self._app(scope, receive, watched)


async def store_unavailable_response(request: Request, error: Exception) -> Response:
    """Answer 503 where a route let StoreUnavailable through."""
    log.warning("%s %s: %s", request.method, request.url.path, error)
    return _later("store_unavailable", "The store cannot be reached just now. Please send it again.")


async def os_error_response(request: Request, error: Exception) -> Response:
    """Answer 503 where a file could not be written; any other error of the system is raised again."""
    known = _SHORTAGES.get(error.errno or 0) if isinstance(error, OSError) else None
    if known is None:
        raise error
    log.warning("%s %s: %s", request.method, request.url.path, error)
    return _later(*known)


def _later(code: str, text: str) -> Response:
    return JSONResponse({"error": {"code": code, "text": text}}, 503, {"retry-after": "2"})
