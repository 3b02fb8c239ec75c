"""One person's memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import httpx

from parley.app.openapi.answers import (
    FailedTurnsAnswer,
    ImportPreviewAnswer,
    MemoryPeopleAnswer,
    MemorySearchAnswer,
    MemorySwitchAnswer,
    MemoryToldAnswer,
)
from parley.app.openapi.memory_answers import (
    ImportAnswer,
    MemoryAnswer,
    MemoryConfigAnswer,
    MemoryStatusAnswer,
    MemoryUndoAnswer,
)
from parley.channels.web.chat.entries import EntryLocation
from parley.client.connection import Connection, parse
from parley.client.paths import api_path

_Answer = TypeVar("_Answer")


class MemoryClient:
    """The memory of `person`, such as `telegram:4711`; "" is the person of the chat page, as whom one chats.

    What changes a memory returns the whole of it as it is then. Every method raises ClientError: 404 for a
    fact that there is not, 409 for one that is known already or while memory is off, 422 for values that
    cannot be.
    """

    def __init__(self, connection: Connection, person: str = "") -> None:
        self._connection, self._person = connection, person

    async def get(self) -> MemoryAnswer:
        """Return the whole memory; an empty one for a stranger."""
        return await self._whole("GET")

    async def reload(self) -> MemoryAnswer:
        """Return the whole memory, read anew from where it is stored."""
        return await self._whole("POST", "reload")

    async def config(self) -> MemoryConfigAnswer:
        """Return how memory is configured, without anything secret."""
        return await self._connection.ask(MemoryConfigAnswer, "GET", api_path("memory", "config"))

    async def status(self) -> MemoryStatusAnswer:
        """Return the configuration, the memory, and how learning goes."""
        return await self._ask(MemoryStatusAnswer, "GET", "status")

    async def people(self, *, after: str = "", limit: int = 100) -> MemoryPeopleAnswer:
        """Return a page of those of whom anything is remembered, and who writes on the chat page.

        The answer's `after` leads to the next page; a page has 1,000 of them at most.
        """
        path = api_path("memory", "people")
        query = {"after": after, "limit": str(limit)}
        return await self._connection.ask(MemoryPeopleAnswer, "GET", path, **query)

    async def search(self, words: str) -> MemorySearchAnswer:
        """Return the ids of the facts that are about some words, best first."""
        return await self._ask(MemorySearchAnswer, "GET", "search", words=words)

    async def add(self, content: str, category: str | None = None, confidence: float = 1.0) -> MemoryAnswer:
        """Remember a fact; without a category it has the usual one, `context`."""
        body = {"content": content, "category": category, "confidence": confidence}
        return await self._whole("POST", "facts", body=body)

    async def update(
        self,
        fact: str,
        *,
        content: str | None = None,
        category: str | None = None,
        confidence: float | None = None,
    ) -> MemoryAnswer:
        """Change a fact; what is None stays."""
        body = {"content": content, "category": category, "confidence": confidence}
        return await self._whole("PATCH", "facts", fact, body=body)

    async def forget(self, fact: str) -> MemoryAnswer:
        """Forget a fact; it is not learned again from what was said before."""
        return await self._whole("DELETE", "facts", fact)

    async def clear(self) -> MemoryAnswer:
        """Forget everything, also what was still to be learned from."""
        return await self._whole("DELETE")

    async def undo(self) -> MemoryUndoAnswer:
        """Take the last change back; what was forgotten stays so."""
        return await self._ask(MemoryUndoAnswer, "POST", "undo")

    async def switch(self, on: bool) -> MemorySwitchAnswer:
        """Learn and recall, or neither."""
        return await self._ask(MemorySwitchAnswer, "PUT", "switch", body={"on": on})

    async def export(self) -> MemoryAnswer:
        """Return the memory to be kept, or taken elsewhere."""
        return await self._whole("GET", "export")

    async def export_as(self, shape: str) -> object:
        """Return the memory in the shape of another program: `mem0` or `chatgpt`; `parley` is ours."""
        return parse(object, (await self._send("GET", "export", shape)).content)

    async def replace(self, document: Mapping[str, object]) -> MemoryAnswer:
        """Put an exported memory in the place of this one; `undo` takes that back."""
        return await self._whole("POST", "import", body=document)

    async def preview_import(self, text: str) -> ImportPreviewAnswer:
        """Return what `add_import` would do, and change nothing."""
        return await self._ask(ImportPreviewAnswer, "POST", "import", "preview", body={"text": text})

    async def add_import(self, text: str) -> ImportAnswer:
        """Add the memories in a text, such as an export of another program, to those that are there."""
        return await self._ask(ImportAnswer, "POST", "import", "add", body={"text": text})

    async def told(self, thread: str, *, topic: str = "") -> MemoryToldAnswer:
        """Return what the agent was told of the person for the last answer in a thread, and why."""
        key = EntryLocation(thread, topic or None).conversation.key
        return await self._ask(MemoryToldAnswer, "GET", "told", conversation=key)

    async def failed_turns(self, *, after: str = "", limit: int = 100) -> FailedTurnsAnswer:
        """Return some of everybody's turns that could not be learned from, newest first.

        The `after` of one page leads to the next, and is empty on the last.
        """
        path = api_path("memory", "dead-letters")
        return await self._connection.ask(FailedTurnsAnswer, "GET", path, after=after, limit=str(limit))

    async def retry(self, item: int) -> None:
        """Learn from one of them after all."""
        await self._send("POST", "dead-letters", item, "retry")

    async def _whole(self, method: str, *below: str, body: object = None) -> MemoryAnswer:
        return await self._ask(MemoryAnswer, method, *below, body=body)

    async def _ask(
        self, kind: type[_Answer], method: str, *below: str, body: object = None, **query: str
    ) -> _Answer:
        path = api_path("memory", *below)
        return await self._connection.ask(kind, method, path, json=body, person=self._person, **query)

    async def _send(self, method: str, *below: str | int) -> httpx.Response:
        return await self._connection.send(method, api_path("memory", *below), person=self._person)
