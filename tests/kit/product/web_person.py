"""A person at the web chat: the page's API over HTTP, and its stream of events."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from tests.kit.product.process import PATIENCE, way_in

Entry = dict[str, Any]
"""An entry as the API shows it: JSON that the tests read by key."""


@dataclass(frozen=True)
class Heard:
    """A reply as it came: every snapshot, the final one last."""

    message: str
    snapshots: tuple[Entry, ...]

    @property
    def final(self) -> Entry:
        return self.snapshots[-1]

    @property
    def text(self) -> str:
        return str(self.final["text"])

    @property
    def growing(self) -> tuple[str, ...]:
        """The texts it had on its way."""
        return tuple(entry["text"] for entry in self.snapshots[:-1] if entry["text"])


@dataclass
class WebPerson:
    """Somebody with the page open at `url`; `chat` is the conversation they look at."""

    url: str
    chat: str = field(default_factory=lambda: f"chat-{uuid4().hex}")
    topic: str | None = None
    language: str = "en"

    def __post_init__(self) -> None:
        self._http = httpx.Client(**way_in(self.url), timeout=PATIENCE)

    def close(self) -> None:
        self._http.close()

    def say(self, text: str, message: str = "", files: tuple[str, ...] = ()) -> str:
        """Send a message; returns its id once Parley has it on disk."""
        body = {"id": message or uuid4().hex, "text": text, "language": self.language, "files": files}
        if self.topic is not None:
            body["topic"] = self.topic
        self._http.post(f"/api/chat/conversations/{self.chat}/messages", json=body).raise_for_status()
        return str(body["id"])

    def delete(self) -> None:
        """Delete the conversation."""
        self._http.delete(f"/api/chat/conversations/{self.chat}").raise_for_status()

    def edit(self, message: str, text: str) -> None:
        """Change a message that was sent."""
        body = {"id": uuid4().hex, "text": text, "topic": self.topic, "language": self.language}
        answer = self._http.put(f"/api/chat/conversations/{self.chat}/messages/{message}", json=body)
        answer.raise_for_status()

    def stop(self) -> None:
        """Press the stop button."""
        body = {"id": uuid4().hex, "topic": self.topic}
        self._http.post(f"/api/chat/conversations/{self.chat}/stop", json=body).raise_for_status()

    def decide(self, question: str, option: str, text: str = "") -> str:
        """Press a button of a question; returns what the page would say."""
        body = {"id": uuid4().hex, "question": question, "option": option, "text": text, "topic": self.topic}
        answer = self._http.post(f"/api/chat/conversations/{self.chat}/decisions", json=body)
        return str(answer.raise_for_status().json()["text"])

    def upload(self, name: str, content: bytes, mime: str) -> str:
        """Attach a file; returns its id."""
        file = uuid4().hex
        answer = self._http.post(f"/api/chat/uploads/{file}", files={"file": (name, content, mime)})
        return str(answer.raise_for_status().json()["id"])

    def download(self, file: str) -> bytes:
        """The bytes of a file in the transcript."""
        return self._http.get(f"/api/chat/files/{file}").raise_for_status().content

    def entries(self) -> list[Entry]:
        """The conversation as it stands, growing replies at its end."""
        query = {"topic": self.topic} if self.topic is not None else {}
        page = self._http.get(f"/api/chat/conversations/{self.chat}/messages", params=query).json()
        return [*page["entries"], *page["growing"]]

    def ask(self, text: str, files: tuple[str, ...] = ()) -> Heard:
        """Say something and hear the reply to its end."""
        message = self.say(text, files=files)
        return Heard(message, tuple(self.replies(message)))

    def replies(self, message: str) -> Iterator[Entry]:
        """Snapshots of the reply to a message, the final one last, or what it asks; a lost connection is
        made again.
        """
        deadline = time.monotonic() + PATIENCE
        done: set[str] = set()
        awaited = 1
        while time.monotonic() < deadline:
            try:
                with closing(self._news()) as news:
                    for entry in news:
                        if entry["role"] != "agent" or entry["reply_to"] != message or entry["id"] in done:
                            continue
                        yield entry
                        if entry["final"]:
                            done.add(entry["id"])
                            awaited += entry["asks"]
                        if len(done) == awaited:
                            return
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError(f"no reply to {message}: {self.entries()}")

    def until(self, met: Callable[[str], bool]) -> str:
        """The text of the agent's newest whole entry that meets a condition, once there is one."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            texts = [e["text"] for e in self.entries() if e["role"] == "agent" and e["final"]]
            found = next(filter(met, reversed(texts)), "")
            if found:
                return str(found)
            time.sleep(0.1)
        raise AssertionError(self.entries())

    def _news(self) -> Generator[Entry]:
        with self._http.stream("GET", "/api/chat/events") as response:
            name = ""
            for line in response.iter_lines():
                field_name, _, value = line.partition(": ")
                if field_name == "event":
                    name = value
                elif field_name == "data" and name == "reset":
                    yield from self.entries()
                elif field_name == "data" and name == "entry":
                    yield json.loads(value)["entry"]
