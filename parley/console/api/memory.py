"""Memories over HTTP: read, corrected, taken along and erased, under `/api/memory`.

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
)
from parley.console.api.memory_port import MemoryAdminPort
from parley.core.model.errors import MemoryFailed
from parley.core.model.types import Json

MAX_IMPORT_BYTES = 32_000_000
"""Bytes of a memory that is imported: 50,000 facts, with room."""

_MOST_OF_PERSON = 500
# Without any of these a text is something else, and importing it would erase what is there.
_SECTIONS = {"user", "history", "facts"}
_PRIVATE = {"cache-control": "no-store"}
Handler = Callable[[Request], Awaitable[Response]]


def memory_routes(memory: MemoryAdminPort) -> tuple[Route, ...]:
    """The routes of the API. Errors are `{"error": {"code", "text"}}`."""
    api = MemoryHandlers(memory)

    def route(path: str, handler: Handler, method: str, *, always: bool = False) -> Route:
        return Route(f"/api/memory{path}", _guarded(memory, handler, always), methods=[method])

    return (
        route("", api.read, "GET"),
        route("", api.clear, "DELETE"),
        route("/reload", api.reload, "POST"),
        route("/config", api.config, "GET", always=True),
        route("/status", api.status, "GET", always=True),
        route("/people", api.people, "GET"),
        route("/switch", api.switch, "PUT"),
        route("/facts", api.create, "POST"),
        route("/facts/{fact}", api.patch, "PATCH"),
        route("/facts/{fact}", api.delete, "DELETE"),
        route("/export", api.export, "GET"),
        route("/import", api.replace, "POST"),
        route("/dead-letters", api.set_aside, "GET"),
        route("/dead-letters/{item:int}/retry", api.retry, "POST"),
    )


class MemoryHandlers:
    """The handlers. What changes a memory answers with the whole of it as it is then."""

    def __init__(self, memory: MemoryAdminPort) -> None:
        self._memory = memory

    async def read(self, request: Request) -> Response:
        return await self._whole(await self._person(request))

    async def reload(self, request: Request) -> Response:
        return _document(await self._memory.reload(await self._person(request)))

    async def clear(self, request: Request) -> Response:
        person = await self._person(request)
        await self._memory.clear(person)
        return await self._whole(person)

    async def config(self, request: Request) -> Response:
        return JSONResponse(asdict(self._memory.config))

    async def status(self, request: Request) -> Response:
        """The configuration, and, where memory is on, the person's memory and how learning goes."""
        config = self._memory.config
        answer: dict[str, Json] = {"config": asdict(config), "data": None}
        if config.enabled:
            person = await self._person(request)
            answer["data"] = json.loads(await self._memory.data(person))
            answer["person"] = {"id": person, **asdict(await self._memory.state(person))}
            answer["health"] = asdict(await self._memory.health())
        return JSONResponse(answer)

    async def people(self, request: Request) -> Response:
        return JSONResponse({"own": await self._memory.own(), "people": list(await self._memory.people())})

    async def switch(self, request: Request) -> Response:
        person, body = await self._person(request), await read_json(request, MemorySwitchBody)
        await self._memory.switch(person, body.on)
        return JSONResponse({"id": person, **asdict(await self._memory.state(person))})

    async def create(self, request: Request) -> Response:
        person, fact = await self._person(request), await read_json(request, NewFactBody)
        told = await self._memory.create(person, fact)
        if told.known:
            raise _known(told.id)
        answer = await self._whole(person)
        answer.headers["location"] = f"/api/memory/facts/{quote(told.id, safe='')}"
        return answer

    async def patch(self, request: Request) -> Response:
        person, change = await self._person(request), await read_json(request, FactPatchBody)
        told = await self._memory.patch(person, request.path_params["fact"], change)
        if told.known:
            raise _known(told.id)
        if not told.id:
            raise _no_fact()
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
        if wrong := await self._memory.replace(person, body.decode()):
            raise RequestRefused(422, "bad_memory", wrong)
        return await self._whole(person)

    async def set_aside(self, request: Request) -> Response:
        letters = [asdict(each) for each in await self._memory.set_aside()]
        return JSONResponse({"dead_letters": letters})

    async def retry(self, request: Request) -> Response:
        if not await self._memory.retry(request.path_params["item"]):
            raise RequestRefused(404, "no_dead_letter", "There is no dead letter of this number.")
        return Response(status_code=204)

    async def _whole(self, person: str) -> Response:
        return _document(await self._memory.data(person))

    async def _person(self, request: Request) -> str:
        named = request.query_params.get("person", "")
        if len(named) > _MOST_OF_PERSON or not named.isprintable():
            raise RequestRefused(422, "bad_request", "person: this is not a person's id")
        return named or await self._memory.own()


def _guarded(memory: MemoryAdminPort, handler: Handler, always: bool) -> Handler:
    """The handler with its refusals turned into answers; `always` also while memory is off."""

    async def wrapped(request: Request) -> Response:
        try:
            if not (always or memory.config.enabled):
                raise RequestRefused(
                    409, "memory_off", "Memory is switched off on this server: memory.enabled."
                )
            answer = await handler(request)
        except RequestRefused as refused:
            answer = JSONResponse(refused.answer(), refused.status)
        except MemoryFailed as failed:
            answer = JSONResponse(RequestRefused(503, "memory_failed", failed.user_text).answer(), 503)
            answer.headers["retry-after"] = "2"
        answer.headers.update(_PRIVATE)
        return answer

    return wrapped


def _document(text: str) -> Response:
    return Response(text, media_type="application/json")


def _known(fact_id: str) -> RequestRefused:
    return RequestRefused(409, "known", f"This is remembered already: {fact_id}.")


def _no_fact() -> RequestRefused:
    return RequestRefused(404, "no_fact", "There is no fact of this id.")
