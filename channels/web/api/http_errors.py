"""Refusals of the web API, and how they look on the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from parley.channels.web.chat.transcript import MisplacedEntry
from parley.core.model.errors import StoreUnavailable

Handler = Callable[[Request], Awaitable[Response]]


class WebApiError(Exception):
    """A request that is not carried out; `code` is for the page, `text` for whoever reads JSON."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.text = text

    def response(self) -> JSONResponse:
        """`{"error": {"code": ..., "text": ...}}`; with Retry-After where trying again helps."""
        headers = {"retry-after": "2"} if self.status == 503 else {}
        return JSONResponse({"error": {"code": self.code, "text": self.text}}, self.status, headers=headers)


def with_error_responses(handler: Handler) -> Handler:
    """Return the handler with its refusals, and the store's, turned into answers."""

    async def wrapped(request: Request) -> Response:
        try:
            return await handler(request)
        except WebApiError as refused:
            return refused.response()
        except MisplacedEntry:
            return WebApiError(409, "id_taken", "This message id is used in another conversation.").response()
        except StoreUnavailable:
            text = "The message store cannot be reached just now. Nothing was taken; please send it again."
            return WebApiError(503, "store_unavailable", text).response()

    return wrapped
