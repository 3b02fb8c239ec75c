"""The operations on memories."""

from __future__ import annotations

from collections.abc import Sequence

from parley.app.openapi import answers as answer
from parley.app.openapi import memory_answers as memory
from parley.app.openapi.operation import ApiOperation
from parley.console.api import bodies

_MEMORY = memory.MemoryAnswer
_JSON = dict[str, object] | list[object]
_op = ApiOperation

MEMORY_OPERATIONS: Sequence[ApiOperation] = (
    _op("GET", "/api/memory", "Return a person's memory.", _MEMORY, query=("person",), refuses=(409,)),
    _op("DELETE", "/api/memory", "Clear a person's memory.", _MEMORY, query=("person",), refuses=(409,)),
    _op(
        "POST",
        "/api/memory/reload",
        "Read it again from where it is stored.",
        _MEMORY,
        query=("person",),
        refuses=(409,),
    ),
    _op("GET", "/api/memory/config", "Return the configuration of memory.", memory.MemoryConfigAnswer),
    _op(
        "GET",
        "/api/memory/status",
        "Return configuration, memory and health.",
        memory.MemoryStatusAnswer,
        query=("person",),
    ),
    _op(
        "GET",
        "/api/memory/people",
        "List everybody with a memory, a page (100) at a time.",
        answer.MemoryPeopleAnswer,
        query=("after", "limit"),
        refuses=(409, 422),
    ),
    _op(
        "GET",
        "/api/memory/search",
        "Find the facts that are about some words.",
        answer.MemorySearchAnswer,
        query=("person", "words"),
        refuses=(409,),
    ),
    _op(
        "PUT",
        "/api/memory/switch",
        "Switch a person's memory on or off.",
        answer.MemorySwitchAnswer,
        takes=bodies.MemorySwitchBody,
        query=("person",),
        refuses=(409,),
    ),
    _op(
        "POST",
        "/api/memory/facts",
        "Remember a fact.",
        _MEMORY,
        takes=bodies.NewFactBody,
        query=("person",),
        refuses=(409,),
    ),
    _op(
        "PATCH",
        "/api/memory/facts/{fact}",
        "Change a fact.",
        _MEMORY,
        takes=bodies.FactPatchBody,
        query=("person",),
        refuses=(409,),
    ),
    _op("DELETE", "/api/memory/facts/{fact}", "Forget a fact.", _MEMORY, query=("person",), refuses=(409,)),
    _op(
        "GET",
        "/api/memory/export",
        "Download a person's memory.",
        _MEMORY,
        query=("person",),
        refuses=(409,),
    ),
    _op(
        "POST",
        "/api/memory/import",
        "Put a memory in the place of a person's.",
        _MEMORY,
        takes=dict[str, object],
        query=("person",),
        refuses=(409,),
    ),
    _op(
        "GET",
        "/api/memory/dead-letters",
        "List turns that could not be learned from, a page (100) at a time.",
        answer.FailedTurnsAnswer,
        query=("after", "limit"),
        refuses=(409, 422),
    ),
    _op(
        "POST",
        "/api/memory/dead-letters/{item}/retry",
        "Learn from one again.",
        status=204,
        refuses=(409,),
    ),
    _op(
        "POST",
        "/api/memory/undo",
        "Take the last change of a memory back; a forgotten fact does not come back.",
        memory.MemoryUndoAnswer,
        query=("person",),
        refuses=(409,),
    ),
    _op(
        "GET",
        "/api/memory/told",
        "Tell what the agent was told for the last answer in a conversation, and why.",
        answer.MemoryToldAnswer,
        query=("person", "conversation"),
        refuses=(409,),
    ),
    _op(
        "GET",
        "/api/memory/export/{shape}",
        "Download a memory in the shape of another program.",
        _JSON,
        query=("person",),
        refuses=(409,),
    ),
    _op(
        "POST",
        "/api/memory/import/preview",
        "Tell what an import would do, and change nothing.",
        answer.ImportPreviewAnswer,
        takes=bodies.ImportTextBody,
        query=("person", "language"),
        refuses=(409,),
    ),
    _op(
        "POST",
        "/api/memory/import/add",
        "Add the memories in a text to those that are there.",
        memory.ImportAnswer,
        takes=bodies.ImportTextBody,
        query=("person", "language"),
        refuses=(409,),
    ),
)
