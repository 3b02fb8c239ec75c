"""A browser on the web chat, as far as the contract needs one: an outbox, an event stream, and eyes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypedDict
from uuid import uuid4

import aiohttp

_AGAIN = 0.05
_FAILURES = (aiohttp.ClientError, TimeoutError, ConnectionError)


class FileJson(TypedDict):
    id: str
    name: str


class PageJson(TypedDict):
    """Some entries; `before` leads to older ones."""

    entries: list[EntryJson]
    growing: list[EntryJson]
    before: str


class OptionJson(TypedDict):
    id: str
    label: str


class QuestionJson(TypedDict):
    """A question that an entry asks, with its buttons."""

    id: str
    options: list[OptionJson]


class EntryJson(TypedDict):
    """An entry as the page gets it."""

    id: str
    role: str
    text: str
    reply_to: str
    files: list[FileJson]
    question: QuestionJson | None
    rateable: bool
    suggestions: list[str]


@dataclass(frozen=True)
class Posted:
    """A message, or the press of a button, on its way under an id of the page's own."""

    chat: str
    topic: str | None
    id: str
    text: str = ""
    files: tuple[str, ...] = ()
    pressed: tuple[str, str] = ("", "")
    edits: str = ""

    @property
    def path(self) -> str:
        """Where it goes in its conversation."""
        if self.edits:
            return f"messages/{self.edits}"
        return "decisions" if any(self.pressed) else "messages"

    @property
    def body(self) -> dict[str, object]:
        """What is sent."""
        if any(self.pressed):
            question, option = self.pressed
            return {"id": self.id, "topic": self.topic, "question": question, "option": option}
        said: dict[str, object] = {"id": self.id, "text": self.text, "topic": self.topic}
        return said if self.edits else said | {"files": self.files}


class Browser:
    """Keeps messages until the server has them; reconnects its event stream by itself.

    `url` may change while it lives. `news` is called for each event.
    """

    def __init__(self, token: str, news: Callable[[], None]) -> None:
        self.url = ""
        self.seen: list[tuple[str, str | None, EntryJson]] = []
        self.sent: list[Posted] = []
        self.told: list[tuple[Posted, str]] = []
        self.lost_answers = 0
        self._news = news
        self._outbox: asyncio.Queue[Posted] = asyncio.Queue()
        self._session = aiohttp.ClientSession(headers={"authorization": f"Bearer {token}"})
        self._last = ""
        self._stream: aiohttp.ClientResponse | None = None
        self._tasks = [asyncio.create_task(self._send_all()), asyncio.create_task(self._watch())]

    async def close(self) -> None:
        """The person closes the page."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()

    def post(self, chat: str, topic: str | None, text: str, files: tuple[str, ...] = ()) -> str:
        """Write a message; returns its id at once."""
        message = Posted(chat, topic, uuid4().hex, text, files)
        self.again(message)
        return message.id

    def edit(self, chat: str, topic: str | None, said: str, text: str) -> None:
        """Change a message; where the server wants no edits the page has no such button."""
        self.again(Posted(chat, topic, uuid4().hex, text, edits=said))

    def press(self, chat: str, topic: str | None, question: str, option: str) -> None:
        """Press the button of an option."""
        self.again(Posted(chat, topic, uuid4().hex, pressed=(question, option)))

    def again(self, message: Posted) -> None:
        """Send a message, perhaps once more."""
        self._outbox.put_nowait(message)

    async def upload(self, name: str, content: bytes, mime: str) -> str:
        """Put a file on the shelf; returns its id."""
        file_id = uuid4().hex
        form = aiohttp.FormData(quote_fields=False)
        form.add_field("file", content, filename=name, content_type=mime)
        async with self._session.post(f"{self.url}/api/chat/uploads/{file_id}", data=form) as answer:
            assert answer.status == 201, await answer.text()
        return file_id

    async def put(self, path: str, title: str) -> None:
        """Create a conversation or topic."""
        async with self._session.put(f"{self.url}/api/chat/{path}", json={"title": title}) as answer:
            assert answer.status == 200, await answer.text()

    async def entries(self, chat: str, topic: str | None) -> tuple[list[EntryJson], list[EntryJson]]:
        """What a freshly opened page shows: finished entries, and growing ones."""
        found: list[EntryJson] = []
        before = ""
        while True:
            page = await self._page(chat, topic, before)
            found[:0] = page["entries"]
            before = page["before"]
            if not before:
                return found, page["growing"] if len(found) == len(page["entries"]) else []

    async def download(self, file_id: str) -> bytes:
        """A file's bytes."""
        async with self._session.get(f"{self.url}/api/chat/files/{file_id}") as answer:
            assert answer.status == 200
            return await answer.read()

    async def request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        """Any request at all."""
        with suppress(*_FAILURES):
            async with self._session.request(
                method, f"{self.url}{path}", data=body, headers=headers
            ) as answer:
                assert answer.status < 500, f"{method} {path}: {answer.status}"

    def cut(self) -> None:
        """Break the event stream; it comes back by itself."""
        if self._stream is not None:
            self._stream.close()

    async def _page(self, chat: str, topic: str | None, before: str) -> PageJson:
        query = {"before": before} | ({"topic": topic} if topic else {})
        while True:
            with suppress(*_FAILURES):
                async with self._session.get(
                    f"{self.url}/api/chat/conversations/{chat}/messages", params=query
                ) as answer:
                    if answer.status == 200:
                        page: PageJson = await answer.json()
                        return page
            await asyncio.sleep(_AGAIN)

    async def _send_all(self) -> None:
        while True:
            message = await self._outbox.get()
            self.sent.append(message)
            await self._deliver(message)
            self._news()

    async def _deliver(self, message: Posted) -> None:
        while True:
            if await self._arrived(message):
                return
            await asyncio.sleep(_AGAIN)

    async def _arrived(self, message: Posted) -> bool:
        url = f"{self.url}/api/chat/conversations/{message.chat}/{message.path}"
        try:
            method = "PUT" if message.edits else "POST"
            async with self._session.request(method, url, json=message.body) as answer:
                refused = answer.status == 409 and bool(message.edits)
                assert refused or answer.status in (202, 503), await answer.text()
                taken = refused or answer.status == 202
                if taken and message.path == "decisions":
                    self.told.append((message, (await answer.json())["text"]))
        except _FAILURES:
            return False
        if taken and self.lost_answers:
            self.lost_answers -= 1
            return False
        return taken

    async def _watch(self) -> None:
        while True:
            with suppress(*_FAILURES):
                await self._read_stream()
            await asyncio.sleep(_AGAIN)

    async def _read_stream(self) -> None:
        headers = {"accept": "text/event-stream", "last-event-id": self._last}
        unending = aiohttp.ClientTimeout(total=None)
        async with self._session.get(
            f"{self.url}/api/chat/events", headers=headers, timeout=unending
        ) as answer:
            self._stream = answer
            name, pending = "", b""
            async for chunk in answer.content.iter_any():
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    field, _, value = line.decode().partition(": ")
                    name = value if field == "event" else name
                    self._on_field(field, value, name)

    def _on_field(self, field: str, value: str, event: str) -> None:
        if field == "id":
            self._last = value
        elif field == "data":
            if event == "entry":
                shown = json.loads(value)
                self.seen.append((shown["place"]["chat"], shown["place"]["topic"], shown["entry"]))
            self._news()


_FENCE = re.compile(r"^```\w*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(```\w*\n.*?^```[ ]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_MARKS = (
    (re.compile(r"^#{1,6} ", re.MULTILINE), ""),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"(\*\*|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w\\])([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"^\|?[ :|-]*--[ :|-]*\|?$", re.MULTILINE), ""),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])"), r"\1"),
)


def rendered(markdown: str) -> str:
    """The words that a reader of the page sees, roughly: the page itself is tested in a real browser."""
    parts = _SPAN.split(markdown)
    return "".join(_bare(part) if number % 2 else _unmarked(part) for number, part in enumerate(parts))


def code_in(markdown: str) -> tuple[str, ...]:
    """The text in code blocks and code spans."""
    return tuple(_bare(part) for part in _SPAN.split(markdown)[1::2])


def _bare(code: str) -> str:
    return _FENCE.sub(r"\1", code) if code.startswith("```") else code.strip("`")


def _unmarked(text: str) -> str:
    for pattern, plain in _MARKS:
        text = pattern.sub(plain, text)
    return text
