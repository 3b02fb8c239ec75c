"""The web channel's API as the terminal uses it: plain HTTP and one stream of events."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NotRequired, TypedDict
from uuid import uuid4

import httpx

from parley.core.model.errors import ParleyError
from parley.core.texts import Sentence, language_said, says

CONVERSATION = "terminal-chat"
_TITLE = "Terminal"
# How long a Parley that went away is waited for: it comes back with every accepted message.
_PATIENCE = 60.0
_PAUSE = 0.5
_NOT_YET = "The agent does not answer yet; it is tried again."
_BEHIND = "An earlier message of this conversation waits for it, and this one behind that."
_FAILURES = (
    Sentence.AGENT_AWAY,
    Sentence.AGENT_REFUSED,
    Sentence.AGENT_SILENT,
    Sentence.ANSWER_EMPTY,
    Sentence.ANSWER_FAILED,
)


class StepView(TypedDict):
    """A step as the API shows it."""

    id: str
    title: str
    status: str


class FileView(TypedDict):
    """A file of an entry."""

    id: str
    name: str


class OptionView(TypedDict):
    """A way to answer a question."""

    label: str


class QuestionView(TypedDict):
    """A question of the agent."""

    options: list[OptionView]


class EntryView(TypedDict):
    """An entry of the transcript, as far as the terminal needs it."""

    id: str
    role: str
    text: str
    reply_to: str
    final: bool
    steps: list[StepView]
    files: list[FileView]
    question: QuestionView | None
    asks: int
    suggestions: NotRequired[list[str]]


class NotRunning(ParleyError):
    """Nothing answers at the address."""


class ChatRefused(ParleyError):
    """The server answers, but not with a chat."""


@dataclass(frozen=True, slots=True)
class _Event:
    name: str
    data: str
    id: str


class _Wanted:
    """Tells the reply to a message, and the questions that follow it, from all else."""

    def __init__(self, message: str) -> None:
        self._message = message
        self._done: set[str] = set()
        self._awaited = 1

    @property
    def complete(self) -> bool:
        """Whether all of it was there."""
        return len(self._done) == self._awaited

    def takes(self, entry: EntryView) -> bool:
        """Return whether the entry is part of it, and news."""
        ours = entry["reply_to"] == self._message and entry["role"] == "agent"
        if not ours or entry["id"] in self._done:
            return False
        if entry["final"]:
            self._done.add(entry["id"])
            self._awaited += entry["asks"]
        return True


class ChatClient:
    """One terminal's line to a running Parley at `base_url`."""

    def __init__(self, base_url: str, token: str, patience: float = _PATIENCE) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=base_url, headers=headers, timeout=10.0, trust_env=False)
        self._base_url = base_url
        self._patience = patience

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def look(self) -> None:
        """See that a chat is there. Raises NotRunning, ChatRefused."""
        try:
            response = self._http.get("/api/chat/hello", timeout=3.0)
        except httpx.TransportError as error:
            raise NotRunning(f"Nothing answers at {self._base_url}.") from error
        if response.status_code in (401, 403):
            raise ChatRefused(
                f"{self._base_url} wants its token: call this with the configuration that it runs with, as "
                "somebody who may read its data folder."
            )
        if response.status_code != 200:
            raise ChatRefused(f"What answers at {self._base_url} is no Parley; set another console.port.")

    def open(self) -> None:
        """See that a chat is there, and have this terminal's conversation in it. Raises as `look`."""
        self.look()
        self._http.put(f"/api/chat/conversations/{CONVERSATION}", json={"title": _TITLE})

    def say(self, text: str) -> str:
        """Send a message and return its id: it is on disk there. Raises ChatRefused, NotRunning."""
        message = uuid4().hex
        self._post("messages", {"id": message, "text": text})
        return message

    def stop(self) -> None:
        """Press the stop button."""
        self._post("stop", {"id": uuid4().hex})

    def replies(self, message: str, report: Callable[[str], None]) -> Iterator[EntryView]:
        """Yield the growing reply to `message`, each time whole, until it is final; then what it asks.

        `report` is given a sentence where the agent does not answer yet, and this message waits for that. A
        dropped connection is made again. Raises NotRunning when Parley stays away.
        """
        last, gone_since = "", time.monotonic()
        wanted = _Wanted(message)
        while True:
            try:
                with self._stream(last) as events:
                    for event in events:
                        last, gone_since = event.id, time.monotonic()
                        entries = self._entries(event)
                        for sentence in filter(None, (_delay(each, message) for each in entries)):
                            report(sentence)
                        yield from filter(wanted.takes, entries)
                        if wanted.complete:
                            return
            except (httpx.TransportError, httpx.HTTPStatusError) as error:
                if time.monotonic() - gone_since > self._patience:
                    text = "Parley went away; your message is kept, and answered when it is back."
                    raise NotRunning(text) from error
            time.sleep(_PAUSE)

    def _entries(self, event: _Event) -> list[EntryView]:
        """Return the entries that an event tells of; a `reset` tells to look at all of them."""
        if event.name == "reset":
            page = (
                self._http.get(f"/api/chat/conversations/{CONVERSATION}/messages").raise_for_status().json()
            )
            return [*page["entries"], *page["growing"]]
        if event.name != "entry":
            return []
        shown = json.loads(event.data)
        return [shown["entry"]] if shown["place"]["chat"] == CONVERSATION else []

    @contextmanager
    def _stream(self, last: str) -> Iterator[Iterator[_Event]]:
        # The server sends a sign of life every 15 s.
        timeout = httpx.Timeout(10.0, read=45.0)
        headers = {"last-event-id": last} if last else {}
        with self._http.stream("GET", "/api/chat/events", headers=headers, timeout=timeout) as response:
            response.raise_for_status()
            yield _events(response.iter_lines())

    def _post(self, what: str, body: dict[str, str]) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                response = self._http.post(f"/api/chat/conversations/{CONVERSATION}/{what}", json=body)
                if response.status_code < 500:
                    break
            except httpx.TransportError as error:
                if time.monotonic() > deadline:
                    raise NotRunning("Parley does not answer; the message was not taken.") from error
            else:
                if time.monotonic() > deadline:
                    raise ChatRefused(f"The message was not taken: {_reason(response)}")
            time.sleep(_PAUSE)
        if response.status_code >= 400:
            raise ChatRefused(f"The message was not taken: {_reason(response)}")


def is_delay(entry: EntryView) -> bool:
    """Return whether an entry only says that the agent does not answer yet."""
    return not entry["final"] and bool(language_said(entry["text"], Sentence.AGENT_STILL_TRYING))


def is_failure(entry: EntryView) -> bool:
    """Return whether an entry says, in the place of an answer, that there is none."""
    return entry["final"] and any(says(entry["text"], each) for each in _FAILURES)


def _delay(entry: EntryView, message: str) -> str:
    if not is_delay(entry):
        return ""
    return _NOT_YET if entry["reply_to"] == message else f"{_NOT_YET} {_BEHIND}"


def _reason(response: httpx.Response) -> str:
    try:
        return str(response.json()["error"]["text"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {response.status_code}"


def _events(lines: Iterator[str]) -> Iterator[_Event]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if line:
            fields[name] = value.removeprefix(" ")
        elif "event" in fields:
            yield _Event(fields["event"], fields.get("data", ""), fields.get("id", ""))
            fields = {}
