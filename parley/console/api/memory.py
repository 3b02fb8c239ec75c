"""Memories over HTTP: read, corrected, switched and erased, under `/api/memory`.

Whoever may use the console may use this; `?person=` names whose memory, without it that of the chat page.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import (
    FactPatchBody,
    MemorySwitchBody,
    NewFactBody,
    RequestRefused,
    parse_model,
    read_body,
    read_json,
    read_limit,
)
from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json
from parley.core.ports.memory.admin import (
    FactChange,
    FactEdit,
    InvalidMemory,
    MemoryAdminPort,
    UnknownCategory,
)

MAX_IMPORT_BYTES = 32_000_000
"""Bytes of a memory that is imported: 50,000 facts, with room."""

_MOST_OF_PERSON = 500
_MOST_OF_WORDS = 500
_PEOPLE, _MOST_PEOPLE = 100, 1_000
_LETTERS, _MOST_LETTERS = 100, 1_000
# Without any of these a text is something else, and importing it would erase what is there.
_SECTIONS = {"user", "history", "facts"}
_STATE = ("on", "waiting", "damaged", "secrets", "orders", "unsaid")
_PRIVATE = {"cache-control": "no-store"}
Handler = Callable[[Request], Awaitable[Response]]
OwnPerson = Callable[[], Awaitable[str]]


def memory_routes(memory: MemoryAdminPort, own_person: OwnPerson) -> tuple[Route, ...]:
    """Return the routes of the API; `own_person` tells who writes on the chat page.

    Errors are `{"error": {"code", "text"}}`.
    """
    api = MemoryHandlers(memory, own_person)

    def route(path: str, handler: Handler, method: str, *, always: bool = False) -> Route:
        def enabled() -> bool:
            return always or bool(memory.config["enabled"])

        return Route(f"/api/memory{path}", guard_memory(enabled, handler), methods=[method])

    return (
        route("", api.read, "GET"),
        route("", api.clear, "DELETE"),
        route("/reload", api.reload, "POST"),
        route("/config", api.config, "GET", always=True),
        route("/status", api.status, "GET", always=True),
        route("/people", api.people, "GET"),
        route("/search", api.search, "GET"),
        route("/switch", api.switch, "PUT"),
        route("/facts", api.create, "POST"),
        route("/facts/{fact}", api.patch, "PATCH"),
        route("/facts/{fact}", api.delete, "DELETE"),
        route("/export", api.export, "GET"),
        route("/import", api.replace, "POST"),
        route("/dead-letters", api.failed_turns, "GET"),
        route("/dead-letters/{item:int}/retry", api.retry, "POST"),
    )


class MemoryHandlers:
    """The handlers. What changes a memory answers with the whole of it as it is then."""

    def __init__(self, memory: MemoryAdminPort, own_person: OwnPerson) -> None:
        self._memory = memory
        self._own_person = own_person

    async def read(self, request: Request) -> Response:
        return await self._whole(await self._person(request))

    async def reload(self, request: Request) -> Response:
        return _document(await self._memory.reload(await self._person(request)))

    async def clear(self, request: Request) -> Response:
        person = await self._person(request)
        await self._memory.clear(person)
        return await self._whole(person)

    async def config(self, request: Request) -> Response:
        return JSONResponse(self._memory.config)

    async def status(self, request: Request) -> Response:
        """The configuration, the memory as it is stored, and, where memory is on, how learning goes."""
        config, person = self._memory.config, await self._person(request)
        stored: Json = json.loads(await self._memory.export(person))
        answer: dict[str, Json] = {"config": dict(config), "data": stored}
        if config["enabled"]:
            answer["person"] = await self._state(person)
            answer["health"] = asdict(await self._memory.health())
        return JSONResponse(answer)

    async def people(self, request: Request) -> Response:
        """Return a page of those with a memory; its `after` leads to the next one, "" stands at the end."""
        limit, after = read_limit(request, _PEOPLE, _MOST_PEOPLE), request.query_params.get("after", "")
        if len(after) > _MOST_OF_PERSON or not after.isprintable():
            raise RequestRefused(422, "bad_request", "after: take it from an earlier page.")
        found = list(await self._memory.people(after, limit + 1))
        answer: dict[str, Json] = {"own": await self._own_person(), "people": list(found[:limit])}
        return JSONResponse(answer | {"after": found[limit - 1] if len(found) > limit else ""})

    async def search(self, request: Request) -> Response:
        """The ids of the facts that are about `words`, best first: the search of `/memory search`."""
        words = request.query_params.get("words", "")[:_MOST_OF_WORDS]
        found = await self._memory.search(await self._person(request), words)
        return JSONResponse({"facts": [fact.id for fact in found]})

    async def switch(self, request: Request) -> Response:
        person, body = await self._person(request), await read_json(request, MemorySwitchBody)
        await self._memory.switch(person, body.on)
        return JSONResponse(await self._state(person))

    async def create(self, request: Request) -> Response:
        person, body = await self._person(request), await read_json(request, NewFactBody)
        edit = await self._memory.create(person, body.content, body.category or "", body.confidence)
        fact_id = _written_id(edit)
        answer = await self._whole(person)
        answer.headers["location"] = f"/api/memory/facts/{quote(fact_id, safe='')}"
        return answer

    async def patch(self, request: Request) -> Response:
        person, body = await self._person(request), await read_json(request, FactPatchBody)
        change = FactChange(body.content, body.category, body.confidence)
        _written_id(await self._memory.patch(person, request.path_params["fact"], change))
        return await self._whole(person)

    async def delete(self, request: Request) -> Response:
        person = await self._person(request)
        if not await self._memory.delete(person, request.path_params["fact"]):
            raise _no_fact()
        return await self._whole(person)

    async def export(self, request: Request) -> Response:
        answer = await self._whole(await self._person(request))
        answer.headers["content-disposition"] = 'attachment; filename="memory.json"'
        return answer

    async def replace(self, request: Request) -> Response:
        person, body = await self._person(request), await read_body(request, MAX_IMPORT_BYTES)
        if not _SECTIONS & parse_model(dict[str, object], body).keys():
            raise RequestRefused(
                422, "bad_memory", "This is not a memory: it has neither facts nor summaries."
            )
        try:
            await self._memory.replace(person, body.decode())
        except InvalidMemory as error:
            raise RequestRefused(422, "bad_memory", error.user_text) from error
        return await self._whole(person)

    async def failed_turns(self, request: Request) -> Response:
        """Return a page of them; its `after` leads to the next one, "" stands at the end."""
        limit, after = read_limit(request, _LETTERS, _MOST_LETTERS), request.query_params.get("after", "")
        try:
            page = await self._memory.failed_turns(limit, after)
        except ValueError as error:
            raise RequestRefused(422, "bad_request", "after: take it from an earlier page.") from error
        return JSONResponse({"dead_letters": [asdict(each) for each in page.turns], "after": page.after})

    async def retry(self, request: Request) -> Response:
        if not await self._memory.retry(request.path_params["item"]):
            raise RequestRefused(404, "no_dead_letter", "There is no dead letter of this number.")
        return Response(status_code=204)

    async def _whole(self, person: str) -> Response:
        return _document(await self._memory.export(person))

    async def _state(self, person: str) -> dict[str, Json]:
        view = await self._memory.overview(person)
        return {name: getattr(view, name) for name in _STATE} | {"id": person}

    async def _person(self, request: Request) -> str:
        return await person_of_request(request, self._own_person)


async def person_of_request(request: Request, own_person: OwnPerson) -> str:
    """Return whose memory a request is about. Raises RequestRefused."""
    named = request.query_params.get("person", "")
    if len(named) > _MOST_OF_PERSON or not named.isprintable():
        raise RequestRefused(422, "bad_request", "person: this is not a person's id")
    return named or await own_person()


def guard_memory(enabled: Callable[[], bool], handler: Handler) -> Handler:
    """Return the handler with its refusals turned into answers; while memory is off it refuses."""

    async def wrapped(request: Request) -> Response:
        try:
            if not enabled():
                raise RequestRefused(
                    409, "memory_off", "Memory is switched off on this server: memory.enabled."
                )
            answer = await handler(request)
        except RequestRefused as refused:
            answer = JSONResponse(refused.answer(), refused.status)
        except UnknownCategory as unknown:
            answer = JSONResponse(RequestRefused(422, "bad_request", unknown.user_text).answer(), 422)
        except MemoryFailed as failed:
            answer = JSONResponse(RequestRefused(503, "memory_failed", failed.user_text).answer(), 503)
            answer.headers["retry-after"] = "2"
        answer.headers.update(_PRIVATE)
        return answer

    return wrapped


def _document(text: str) -> Response:
    return Response(text, media_type="application/json")


def _written_id(edit: FactEdit) -> str:
    """Return the id of the fact that was written. Raises RequestRefused when none was."""
    if edit.fact is None:
        raise _no_fact()
    if edit.known:
        raise RequestRefused(409, "known", f"This is remembered already: {edit.fact.id}.")
    return edit.fact.id


def _no_fact() -> RequestRefused:
    return RequestRefused(404, "no_fact", "There is no fact of this id.")
