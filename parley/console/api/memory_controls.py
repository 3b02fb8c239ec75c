"""What people do with a memory over HTTP: undo, import and export, and what the agent was told of it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import ImportTextBody, RequestRefused, read_json
from parley.console.api.memory import (
    MAX_IMPORT_BYTES,
    Handler,
    OwnPerson,
    guard_memory,
    person_of_request,
)
from parley.core.commands.memory.imports import PROBLEM_SENTENCES
from parley.core.model.address import Conversation
from parley.core.model.types import Json
from parley.core.ports.memory.controls import ExportShape, ImportRefused, MemoryControls, ToldMemory
from parley.core.ports.memory.port import Memory
from parley.core.texts import language_of, say

_MOST_OF_KEY = 1_000
_Read = Callable[[str, Conversation], Awaitable[ToldMemory | None]]


@dataclass(frozen=True, slots=True)
class MemoryInHand:
    """The ports that the routes work on; `told` reads what was told of a person in a conversation."""

    memory: Memory
    controls: MemoryControls
    told: _Read


def memory_control_routes(parts: MemoryInHand, own_person: OwnPerson) -> tuple[Route, ...]:
    """Return the routes; whose memory it is and what errors look like is as in `memory_routes`."""
    api = MemoryControlHandlers(parts, own_person)

    def route(path: str, handler: Handler, method: str) -> Route:
        guarded = guard_memory(lambda: parts.memory.enabled, handler)
        return Route(f"/api/memory{path}", guarded, methods=[method])

    return (
        route("/undo", api.undo, "POST"),
        route("/told", api.told, "GET"),
        route("/export/{shape}", api.export, "GET"),
        route("/import/preview", api.preview, "POST"),
        route("/import/add", api.add, "POST"),
    )


class MemoryControlHandlers:
    """The handlers."""

    def __init__(self, parts: MemoryInHand, own_person: OwnPerson) -> None:
        self._memory, self._controls, self._told = parts.memory, parts.controls, parts.told
        self._own_person = own_person

    async def undo(self, request: Request) -> Response:
        """Take the last change back; `result` says whether there was one that can be."""
        person = await person_of_request(request, self._own_person)
        result = await self._memory.undo(person)
        return JSONResponse({"result": result.value, "data": await self._whole(person)})

    async def told(self, request: Request) -> Response:
        """What the agent was told for the last answer in `conversation`, and why."""
        person = await person_of_request(request, self._own_person)
        told = await self._told(person, _conversation(request))
        facts = [
            {"id": each.fact.id, "content": each.fact.content, "reason": each.reason, "words": each.words}
            for each in (told.facts if told else ())
        ]
        others = told.others if told else 0
        return JSONResponse({"known": told is not None, "facts": facts, "others": others})

    async def export(self, request: Request) -> Response:
        person, shape = await person_of_request(request, self._own_person), _shape(request)
        named = f'attachment; filename="memory-{shape.value}.json"'
        text = await self._controls.export(person, shape)
        return Response(text, media_type="application/json", headers={"content-disposition": named})

    async def preview(self, request: Request) -> Response:
        """What an import would do; nothing is changed."""
        person, body = await self._import(request)
        try:
            preview = await self._controls.preview_import(person, body.text)
        except ImportRefused as refused:
            raise _refused(request, refused) from refused
        return JSONResponse(asdict(preview.result) | {"facts": preview.facts})

    async def add(self, request: Request) -> Response:
        """Add the memories in a text; `undo` takes them back."""
        person, body = await self._import(request)
        try:
            result = await self._controls.import_text(person, body.text)
        except ImportRefused as refused:
            raise _refused(request, refused) from refused
        return JSONResponse(asdict(result) | {"data": await self._whole(person)})

    async def _import(self, request: Request) -> tuple[str, ImportTextBody]:
        person = await person_of_request(request, self._own_person)
        return person, await read_json(request, ImportTextBody, MAX_IMPORT_BYTES)

    async def _whole(self, person: str) -> Json:
        document: Json = json.loads(await self._memory.export(person))
        return document


def _conversation(request: Request) -> Conversation:
    try:
        return Conversation.parse(request.query_params.get("conversation", "")[:_MOST_OF_KEY])
    except ValueError as error:
        text = "conversation: this is not a conversation's key, such as web:chat-0001"
        raise RequestRefused(422, "bad_request", text) from error


def _shape(request: Request) -> ExportShape:
    try:
        return ExportShape(request.path_params["shape"])
    except ValueError as error:
        known = ", ".join(ExportShape)
        raise RequestRefused(404, "no_shape", f"There is no such shape; there are {known}.") from error


def _refused(request: Request, refused: ImportRefused) -> RequestRefused:
    """Return the refusal in the language that the request asks for."""
    language = language_of(request.query_params.get("language", ""))
    text = say(language, PROBLEM_SENTENCES[refused.problem], place=refused.place)
    return RequestRefused(422, f"import_{refused.problem.value}", text)
