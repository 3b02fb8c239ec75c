"""Conversations on the web, by clients that never give up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from uuid import NAMESPACE_OID, uuid5

import httpx

from tests.chaos.board import Board
from tests.chaos.ledger import Shown
from tests.chaos.place import Place
from tests.chaos.plan import Line, Said
from tests.e2e.web import Entry

# Between two tries of a client whose server is away.
_PAUSE = 0.1


class WebPlace(Place):
    """One conversation, or one topic of it."""

    def __init__(self, http: httpx.AsyncClient, line: Line, number: int, count: Callable[[], None]) -> None:
        super().__init__(line)
        self.chat = f"chat-{number:04}"
        self.topic = f"topic-{number:04}" if line.kind.name == "topic" else None
        self._http = http
        self._count = count
        self._by_message = {_message(said): said for said in line.said}

    async def send(self, said: Said, board: Board) -> None:
        """Post until it is taken; then, as often as planned, once more, for the answer may have been lost."""
        body = {"id": _message(said), "text": said.text, "topic": self.topic, "language": "en"}
        await self._post(body)
        for _ in range(said.repeats):
            self._count()
            await self._post(body)

    async def _post(self, body: dict[str, str | None]) -> None:
        while True:
            try:
                answer = await self._http.post(f"/api/chat/conversations/{self.chat}/messages", json=body)
            except httpx.TransportError:
                self._count()
            else:
                if answer.status_code == 202:
                    return
                assert answer.status_code >= 500, answer.text
            await asyncio.sleep(_PAUSE)

    async def shown(self) -> Sequence[Shown]:
        """The agent's entries of the whole transcript, from the server."""
        entries: list[Entry] = []
        before = "first"
        while before:
            query = {"before": before if entries else ""} | ({"topic": self.topic} if self.topic else {})
            answer = await self._http.get(f"/api/chat/conversations/{self.chat}/messages", params=query)
            page = answer.raise_for_status().json()
            entries = [*page["entries"], *entries]
            before = page["before"]
        return [shown for entry in entries if entry["role"] == "agent" for shown in self._read(entry)]

    def knows(self, entry: Entry) -> bool:
        """Whether an entry is the answer to something said here."""
        return entry["reply_to"] in self._by_message

    def hear(self, entry: Entry) -> Shown:
        """An entry of the agent."""
        said = self._by_message.get(entry["reply_to"])
        return self.read(said.id if said else "", entry["text"], growing=not entry["final"])

    def _read(self, entry: Entry) -> list[Shown]:
        shown = self.hear(entry)
        return [
            shown,
            *(Shown(shown.answers, file["name"], whole=False, file=True) for file in entry["files"]),
        ]


def _message(said: Said) -> str:
    return uuid5(NAMESPACE_OID, said.id).hex


async def watch(http: httpx.AsyncClient, places: Sequence[WebPlace], board: Board) -> None:
    """Tell the board of answers as pages hear of them, until cancelled; connect again whenever cut off."""
    last = ""
    while True:
        try:
            headers = {"last-event-id": last} if last else {}
            async with http.stream("GET", "/api/chat/events", headers=headers) as response:
                name = ""
                async for line in response.aiter_lines():
                    field, _, value = line.partition(": ")
                    if field == "id":
                        last = value
                    elif field == "event":
                        name = value
                    elif field == "data" and name in ("entry", "reset"):
                        await _hear(name, value, places, board)
        except (httpx.TransportError, httpx.HTTPStatusError):
            await asyncio.sleep(_PAUSE)


async def _hear(name: str, value: str, places: Sequence[WebPlace], board: Board) -> None:
    if name == "reset":
        for place in places:
            board.mark(shown.answers for shown in await place.shown() if shown.whole)
        return
    entry = json.loads(value)["entry"]
    ours = (place.hear(entry) for place in places if place.knows(entry))
    board.mark(shown.answers for shown in ours if shown.whole)
