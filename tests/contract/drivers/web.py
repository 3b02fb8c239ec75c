"""The web chat: the real channel behind the real HTTP server, and a browser before it.

Its platform is ourselves: what a wire is elsewhere, the documents of its transcript are here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import ClassVar, Self
from uuid import uuid4

from parley.channels.web.channel import WebChannel
from parley.channels.web.config import Config
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.model.address import Conversation
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.ports.journal import Document, DocumentRepository
from tests.contract.driver import Driver, Person, Place, Shown, Traits, Trouble, Upload
from tests.contract.drivers.browser import Browser, EntryJson, code_in, rendered
from tests.contract.drivers.pace import eager

_TOKEN = "a-web-token-that-nobody-may-log"
_YOU = Person("local", "You")


class Wire(DocumentRepository):
    """The transcript's documents. A call of `set` may fail before or after its effect, or take its time."""

    def __init__(self) -> None:
        self.inner: DocumentRepository
        self._troubles: list[tuple[Trouble, float]] = []
        self._out_until = 0.0

    def add(self, kind: Trouble, times: int, seconds: float) -> None:
        self._troubles += [(kind, seconds)] * times

    def outage(self, seconds: float) -> None:
        self._out_until = time.monotonic() + seconds

    def reset(self) -> None:
        self._troubles.clear()
        self._out_until = 0.0

    async def set(self, document: Document) -> Document:
        self._check()
        kind, seconds = self._troubles.pop(0) if self._troubles else (None, 0.0)
        if kind is Trouble.UNAVAILABLE:
            raise StoreUnavailable("the database is locked (on purpose)")
        if kind is Trouble.SLOW:
            await asyncio.sleep(seconds)
        written = await self.inner.set(document)
        if kind is Trouble.RESET_AFTER:
            raise StoreUnavailable("the answer was lost (on purpose)")
        return written

    async def get(self, key: str) -> Document:
        self._check()
        return await self.inner.get(key)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        self._check()
        return await self.inner.list(prefix, limit, after)

    async def delete(self, key: str) -> None:
        self._check()
        await self.inner.delete(key)

    def _check(self) -> None:
        if time.monotonic() < self._out_until:
            raise StoreUnavailable("the database is away (on purpose)")


class WebDriver(Driver):
    name: ClassVar[str] = "web"
    traits: ClassVar[Traits] = Traits(
        max_part=2_000_000,
        unit=len,
        troubles=frozenset({Trouble.UNAVAILABLE, Trouble.RESET_AFTER, Trouble.SLOW}),
        topics=True,
        albums=True,
        rewrites=True,
        buttons=True,
        tells=True,
        insists=True,
        doubles=False,
        dials=False,
    )
    secrets = (_TOKEN,)

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._wire = Wire()
        self._files: dict[tuple[str, str], str] = {}
        self._port = 0

    async def __aenter__(self) -> Self:
        self._browser = Browser(_TOKEN, self.news)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._browser.close()

    def make_channel(self, services: ChannelServices) -> Channel:
        self._wire.inner = services.documents
        config = Config(name=_YOU.name)
        self._channel = self.build(config, replace(services, documents=self._wire))
        return eager(self._channel)

    def build(self, config: Config, services: ChannelServices) -> WebChannel:
        """The channel itself."""
        return WebChannel(config, services)

    async def unplug(self) -> None:
        self._wire.reset()

    async def plug(self) -> None:
        self._wire.reset()

    @asynccontextmanager
    async def hosted(self, channel: Channel) -> AsyncIterator[None]:
        options = ConsoleOptions(port=self._port, token=_TOKEN)
        server = HttpServer(options, self._channel.routes(), tuple)
        up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(server.run(up.set_result), name="the web server")
        try:
            self._browser.url = await up
            self._port = int(self._browser.url.rpartition(":")[2])
            yield
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def private(self, name: str = "Ann") -> Place:
        chat = f"chat-{uuid4().hex[:12]}"
        return Place(Conversation("web", chat), _YOU, private=True)

    async def topics(self, count: int) -> tuple[Place, ...]:
        whole = await self.private()
        chat = whole.conversation.chat
        await self._browser.put(f"conversations/{chat}", "Chat")
        topics = [f"topic-{number}-{uuid4().hex[:6]}" for number in range(count)]
        for topic in topics:
            await self._browser.put(f"conversations/{chat}/topics/{topic}", topic)
        return (whole, *(replace(whole, conversation=Conversation("web", chat, topic)) for topic in topics))

    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        return self._browser.post(place.conversation.chat, place.conversation.topic, text)

    async def edit(self, place: Place, said: str, text: str) -> None:
        self._browser.edit(place.conversation.chat, place.conversation.topic, said, text)

    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        ids = [await self._browser.upload(file.name, file.content, file.mime) for file in files]
        return self._browser.post(place.conversation.chat, place.conversation.topic, text, tuple(ids))

    async def press(self, place: Place, label: str, by: Person | None = None) -> None:
        chat, topic = place.conversation.chat, place.conversation.topic
        entries, _ = await self._browser.entries(chat, topic)
        if label in self.thumbs:
            rated = [entry["id"] for entry in entries if entry["rateable"]]
            assert rated, "no answer can be rated"
            choice = ("up", "down")[self.thumbs.index(label)]
            self._browser.press(chat, topic, f"feedback:{rated[-1]}", choice)
            return
        if label in entries[-1]["suggestions"]:
            self._browser.post(chat, topic, label)
            return
        questions = [entry["question"] for entry in entries if entry["question"]]
        found = [
            (each["id"], one["id"]) for each in questions for one in each["options"] if one["label"] == label
        ]
        assert found, f"no button {label!r}"
        self._browser.press(chat, topic, *found[-1])

    async def told(self, place: Place, by: Person | None = None) -> list[str]:
        chat, topic = place.conversation.chat, place.conversation.topic
        return [text for press, text in self._browser.told if (press.chat, press.topic) == (chat, topic)]

    async def redeliver(self) -> None:
        for message in tuple(self._browser.sent):
            self._browser.again(message)

    async def look(self, place: Place) -> list[Shown]:
        chat, topic = place.conversation.chat, place.conversation.topic
        entries, growing = await self._browser.entries(chat, topic)
        shown = [self._shown(e, growing=False) for e in entries]
        if entries and not growing:  # the page offers what the newest entry suggests
            shown[-1] = replace(shown[-1], buttons=(*shown[-1].buttons, *entries[-1]["suggestions"]))
        return shown + [self._shown(e, growing=True) for e in growing]

    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        return await self._browser.download(self._files[(shown.id, name)])

    def growth(self, place: Place) -> list[str]:
        here = (place.conversation.chat, place.conversation.topic)
        seen = [entry for chat, topic, entry in self._browser.seen if (chat, topic) == here]
        return [rendered(entry["text"]) for entry in seen if entry["role"] == "agent" and entry["text"]]

    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        self._wire.add(kind, times, seconds)

    def outage(self, seconds: float) -> None:
        self._wire.outage(seconds)

    def drop_connection(self) -> None:
        self._browser.cut()
        self._browser.lost_answers = 1

    async def rubbish(self, place: Place) -> None:
        json = {"content-type": "application/json"}
        form = {"content-type": "multipart/form-data; boundary=x"}
        messages = f"/api/chat/conversations/{place.conversation.chat}/messages"
        for body in _RUBBISH:
            await self._browser.request("POST", messages, body, json)
            await self._browser.request("PUT", messages.removesuffix("/messages"), body, json)
            await self._browser.request("POST", "/api/chat/uploads/a-rubbish-file", body, form)
            await self._browser.request("POST", messages, body, {"content-type": "text/plain"})
        for path in ("/api/chat/conversations/../messages", "/api/chat/files/%00", "/%ff%fe", "/page/../../"):
            await self._browser.request("GET", path, b"", {"last-event-id": "zz.9" * 100})
        await self._browser.request("BREW", messages, b"", {})
        await self._raw(
            b"GET / HTTP/1.1\r\nHost: x\r\nLast-Event-ID: \x00\x7f\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\x16\x03\x01\x00\xa5\x01",
            b"POST /" + b"x" * 70_000,
        )

    async def _raw(self, *openings: bytes) -> None:
        for opening in openings:
            _, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(opening)
            writer.close()

    def _shown(self, entry: EntryJson, *, growing: bool) -> Shown:
        for file in entry["files"]:
            self._files[(entry["id"], file["name"])] = file["id"]
        return Shown(
            id=entry["id"],
            text=rendered(entry["text"]),
            by_bot=entry["role"] == "agent",
            reply_to=entry["reply_to"],
            files=tuple(file["name"] for file in entry["files"]),
            code=code_in(entry["text"]),
            growing=growing,
            buttons=_buttons(entry),
        )


def _buttons(entry: EntryJson) -> tuple[str, ...]:
    if entry["rateable"]:
        return WebDriver.thumbs
    question = entry["question"]
    return () if question is None else tuple(option["label"] for option in question["options"])


_RUBBISH = (
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"id": null, "text": null}',
    b'{"id": "../../../../etc/passwd", "text": "x"}',
    b'{"id": "rubbish-rubbish-1", "text": {"a": 1}}',
    b'{"id": "rubbish-rubbish-2", "text": "x", "files": ["nothing-of-that-name"]}',
    b'{"id": "rubbish-rubbish-3", "text": "x", "topic": 5}',
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="../../x"\r\n\r\nabc',
)
