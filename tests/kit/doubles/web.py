"""Small stand-ins for what surrounds the web channel."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import ChannelServices, CommandInfo
from parley.core.ports.journal import Document


class MemoryDocuments:
    """Documents in a dictionary; `down` makes every call fail as a lost store would."""

    def __init__(self) -> None:
        self.bodies: dict[str, Document] = {}
        self.down = False

    async def get(self, key: str) -> Document:
        self._check()
        return self.bodies.get(key, Document(key, "", 0))

    async def set(self, document: Document) -> Document:
        self._check()
        if (await self.get(document.key)).version != document.version:
            raise DocumentConflict(document.key)
        self.bodies[document.key] = replace(document, version=document.version + 1)
        self._changed()
        return self.bodies[document.key]

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        self._check()
        keys = sorted(key for key in self.bodies if key.startswith(prefix) and key > after)
        return [self.bodies[key] for key in keys[:limit]]

    async def delete(self, key: str) -> None:
        self._check()
        self.bodies.pop(key, None)
        self._changed()

    def _check(self) -> None:
        if self.down:
            raise StoreUnavailable("down")

    def _changed(self) -> None:
        """For those that keep the dictionary somewhere."""


class FileDocuments(MemoryDocuments):
    """The same in a JSON file, written whole before a call returns, so that it outlives a kill."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        if path.exists():
            kept = json.loads(path.read_text())
            self.bodies = {key: Document(key, body, version) for key, (body, version) in kept.items()}

    def _changed(self) -> None:
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps({key: (one.body, one.version) for key, one in self.bodies.items()}))
        fresh.replace(self._path)


class ListInbox:
    """An inbox that keeps what it hears; `down` makes it refuse, as the bus does without its store."""

    def __init__(self) -> None:
        self.messages: list[InboundMessage] = []
        self.up = asyncio.Event()
        self.down = False

    async def accept(self, message: InboundMessage) -> None:
        if self.down:
            raise StoreUnavailable("down")
        if all(known.id != message.id for known in self.messages):
            self.messages.append(message)

    async def decide(self, click: Click) -> str:
        raise NotImplementedError

    def online(self) -> None:
        self.up.set()


COMMANDS = (
    CommandInfo("new", "Start afresh"),
    CommandInfo("new", "重新开始", "zh"),
    CommandInfo("status", "What is going on"),
    CommandInfo("stop", "Stop the reply"),
    CommandInfo("help", "What I can do"),
)


def services(documents: MemoryDocuments, folder: Path, *, reruns: bool = False) -> ChannelServices:
    return ChannelServices(documents=documents, folder=folder, commands=COMMANDS, reruns=lambda: reruns)
