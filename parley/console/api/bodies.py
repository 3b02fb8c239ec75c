"""Request bodies of the memory API: JSON with a cap, checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import Json

MAX_BODY_BYTES = 64_000
"""Bytes of a body, but for an import."""

_Model = TypeVar("_Model")

CategoryName = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class RequestRefused(Exception):
    """A request that is not carried out; `code` is for programs, `text` for people."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.text = text

    def answer(self) -> dict[str, Json]:
        """Return the body that says so."""
        return {"error": {"code": self.code, "text": self.text}}


def _says_something(text: str) -> str:
    if not any(char.isalnum() for char in text):
        raise ValueError("there is nothing to remember in that")
    return text


# As long as a fact may be (docs/memory-files.md): what is written by hand is never cut.
FactContent = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=500), AfterValidator(_says_something)
]
Confidence = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]


class RequestBody(BaseModel):
    """What a client sends. Its validator is made for the first one: most are never sent."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class NewFactBody(RequestBody):
    """Something to remember."""

    content: FactContent
    category: CategoryName | None = None
    confidence: Confidence = 1.0


class FactPatchBody(RequestBody):
    """What is to be changed of a fact; what is left out, or null, stays."""

    content: FactContent | None = None
    category: CategoryName | None = None
    confidence: Confidence | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> FactPatchBody:
        if self.content is None and self.category is None and self.confidence is None:
            raise ValueError("name what to change: content, category or confidence")
        return self


class MemorySwitchBody(RequestBody):
    """Memory of a person: on or off."""

    on: Annotated[bool, Field(strict=True)]


class ImportTextBody(RequestBody):
    """Memories as a text: an export of Parley, mem0 or ChatGPT, or one fact a line."""

    text: str


async def read_json(request: Request, model: type[_Model], most: int = MAX_BODY_BYTES) -> _Model:
    """Return the body of at most so many bytes as `model`.

    Raises RequestRefused for another content type, too much, or the wrong shape.
    """
    return parse_model(model, await read_body(request, most))


async def read_body(request: Request, most: int) -> bytes:
    """Return the bytes of a JSON body. Raises RequestRefused."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RequestRefused(415, "not_json", "The body must be application/json.")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise RequestRefused(413, "too_long", f"The body is longer than {most} bytes.")
    except ClientDisconnect as gone:
        raise RequestRefused(400, "gone", "The request was broken off.") from gone
    return bytes(body)


def parse_model(model: type[_Model], body: bytes) -> _Model:
    """Return the JSON in a body, checked. Raises RequestRefused."""
    try:
        return TypeAdapter(model).validate_json(body)
    except ValidationError as problem:
        error = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in error["loc"])
        text = f"{where}: {error['msg']}" if where else error["msg"]
        raise RequestRefused(422, "bad_request", text) from problem


def read_limit(request: Request, usual: int, most: int) -> int:
    """Return how many entries a page is to have. Raises RequestRefused."""
    given = request.query_params.get("limit", str(usual))
    digits = given.isascii() and given.isdecimal() and len(given) <= len(str(most))
    if not digits or not 1 <= int(given) <= most:
        raise RequestRefused(422, "bad_request", f"limit: a number from 1 to {most}.")
    return int(given)


def answer_refusals(
    handler: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler with what it refuses as an answer, and 503 while the store is away."""

    async def wrapped(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRefused as refused:
            return JSONResponse(refused.answer(), refused.status)
        except StoreUnavailable:
            away = RequestRefused(503, "store_unavailable", "The store cannot be reached just now.")
            return JSONResponse(away.answer(), away.status, {"retry-after": "2"})

    return wrapped
