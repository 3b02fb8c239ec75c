"""Conversations on the web, by clients that never give up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_OID, uuid5

import httpx

from tests.chaos.accounting.ledger import Shown
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import Line, Said
from tests.chaos.platforms.conversations import ChaosConversation
from tests.kit.machine import patience
from tests.kit.product.web_person import Entry

# Between two tries of a client whose server is away, and how long such a one waits for an answer.
_PAUSE, _MOST = 0.1, patience(2.5)


@dataclass
class Door:
    """A person's way in: one Parley, and the next one when that is away, as a balancer would have it.

    `again` is called for each post that is made once more.
    """

    clients: Sequence[httpx.AsyncClient]
    again: Callable[[], None]
    _turn: int = 0

    @property
    def client(self) -> httpx.AsyncClient:
        """Whom to ask now."""
        return self.clients[self._turn % len(self.clients)]

    def next(self) -> None:
        """That one is away."""
        self._turn += 1


class WebConversation(ChaosConversation):
    """One conversation, or one topic of it."""

    def __init__(self, door: Door, line: Line, number: int) -> None:
        super().__init__(line)
        self.chat = f"chat-{number:04}"
        self.topic = f"topic-{number:04}" if line.kind.name == "topic" else None
        self._door = door
        self._by_message = {_message(said): said for said in line.said}

    def may_come_later(self, said: str) -> None:
        """Do nothing: whoever is not let in at one node asks the next, and waits."""

    async def send(self, said: Said, board: ProgressBoard) -> None:
        """Post until it is taken; then, as often as planned, once more, for the answer may have been lost."""
        body = {"id": _message(said), "text": said.text, "topic": self.topic, "language": "en"}
        await self._post(body)
        for _ in range(said.repeats):
            self._door.again()
            await self._post(body)

    async def _post(self, body: dict[str, str | None]) -> None:
        address = f"/api/chat/conversations/{self.chat}/messages"
        while True:
            try:
                answer = await self._door.client.post(address, json=body, timeout=_MOST)
            except httpx.TransportError:
                self._door.next()
                self._door.again()
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
            address = f"/api/chat/conversations/{self.chat}/messages"
            answer = await self._door.client.get(address, params=query)
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


async def watch(http: httpx.AsyncClient, places: Sequence[WebConversation], board: ProgressBoard) -> None:
    """Tell the board of answers as pages hear of them, until cancelled; connect again whenever cut off."""
    last = ""
    while True:
        try:
            headers = {"last-event-id": last} if last else {}
            async with http.stream("GET", "/api/chat/events", headers=headers) as response:
                name = heard = ""
                async for line in response.aiter_lines():
                    field, _, value = line.partition(": ")
                    if field == "id":
                        heard = value
                    elif field == "event":
                        name = value
                    elif field == "data" and name in ("entry", "reset"):
                        await _hear(name, value, places, board)
                        last = heard  # not before: where that failed it must come again
        except (httpx.TransportError, httpx.HTTPStatusError):
            await asyncio.sleep(_PAUSE)


async def _hear(name: str, value: str, places: Sequence[WebConversation], board: ProgressBoard) -> None:
    if name == "reset":
        for place in (place for place in places if place.waits(board.answered)):
            board.mark(shown.answers for shown in await place.shown() if shown.whole)
        return
    entry = json.loads(value)["entry"]
    ours = (place.hear(entry) for place in places if place.knows(entry))
    board.mark(shown.answers for shown in ours if shown.whole)
