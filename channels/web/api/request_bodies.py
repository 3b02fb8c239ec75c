"""Request bodies of the web API: JSON with a cap, checked against a dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import StringConstraints, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from parley.channels.web.api.http_errors import WebApiError
from parley.channels.web.chat.entries import EntryLocation, Id
from parley.channels.web.chat.transcript import is_cursor

_MAX_BODY = 600_000
_Model = TypeVar("_Model")

Text = Annotated[str, StringConstraints(max_length=100_000)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
EntryId = Annotated[str, StringConstraints(max_length=100)]
Language = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{0,35}$")]
Zone = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_+/-]{0,64}$")]


@dataclass(frozen=True, slots=True)
class NewMessageBody:
    """A message from the page; `files` are ids of uploads, `zone` is the browser's time zone."""

    id: Id
    text: Text = ""
    topic: Id | None = None
    files: tuple[Id, ...] = ()
    language: Language = ""
    zone: Zone = ""


@dataclass(frozen=True, slots=True)
class EditBody:
    """Another text for a message; `id` is the edit's own."""

    id: Id
    text: Text = ""
    topic: Id | None = None
    language: Language = ""
    zone: Zone = ""


@dataclass(frozen=True, slots=True)
class StopBody:
    """The stop button."""

    id: Id
    topic: Id | None = None
    language: Language = ""


@dataclass(frozen=True, slots=True)
class DecisionBody:
    """A button of a question; `text` holds other arguments where those were edited."""

    id: Id
    question: Annotated[str, StringConstraints(max_length=100)]
    option: Annotated[str, StringConstraints(max_length=5_000)]
    text: Text = ""
    topic: Id | None = None
    language: Language = ""


@dataclass(frozen=True, slots=True)
class TitleBody:
    """A conversation's or topic's title; `about` is the entry a new topic begins at."""

    title: Title = ""
    about: EntryId = ""


NEW_MESSAGE: TypeAdapter[NewMessageBody] = TypeAdapter(NewMessageBody)
EDIT: TypeAdapter[EditBody] = TypeAdapter(EditBody)
STOP: TypeAdapter[StopBody] = TypeAdapter(StopBody)
DECISION: TypeAdapter[DecisionBody] = TypeAdapter(DecisionBody)
TITLE: TypeAdapter[TitleBody] = TypeAdapter(TitleBody)
_ID: TypeAdapter[str] = TypeAdapter(Id)


async def read_json(request: Request, model: TypeAdapter[_Model]) -> _Model:
    """Return the body as `model`. Raises WebApiError for another type, too much, or a wrong shape."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WebApiError(415, "not_json", "The body must be application/json.")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_BODY:
                raise WebApiError(413, "too_long", "The message is too long.")
    except ClientDisconnect as gone:
        raise WebApiError(400, "gone", "The request was broken off.") from gone
    try:
        return model.validate_json(bytes(body))
    except ValidationError as problem:
        raise WebApiError(422, "bad_request", _first(problem)) from problem


def path_id(request: Request, name: str) -> str:
    """Return a part of the path that is an id. Raises WebApiError."""
    return _checked_id(request.path_params[name])


def queried_place(request: Request) -> EntryLocation:
    """Return the conversation of the path, or the topic of it that the query names. Raises WebApiError."""
    topic = request.query_params.get("topic", "")
    return EntryLocation(path_id(request, "chat"), _checked_id(topic) if topic else None)


def queried_cursor(request: Request) -> str:
    """Return where a page ends, as an earlier page said; "" for the newest. Raises WebApiError."""
    given = request.query_params.get("before", "")
    if given and not is_cursor(given):
        raise WebApiError(422, "bad_request", "before: Take it from an earlier page.")
    return given


def _checked_id(given: object) -> str:
    try:
        return _ID.validate_python(given)
    except ValidationError as problem:
        raise WebApiError(
            404,
            "unknown",
            "There is nothing of that name: an id has 8 to 64 characters of A-Z a-z 0-9 _ and -.",
        ) from problem


def _first(problem: ValidationError) -> str:
    error = problem.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else error["msg"]
