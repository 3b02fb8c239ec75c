"""The client for programs that have an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from parley.app.openapi.answers import ModelsAnswer, NoticeAnswer
from parley.channels.web.chat.entries import EntryLocation, TranscriptEntry
from parley.client.connection import Connection
from parley.client.errors import ClientError
from parley.client.events import ChatAnswer, MessageStored, StreamEvent, compare_entries
from parley.client.files import FilesClient, FileSource
from parley.client.memory import MemoryClient
from parley.client.opening import open_embedded, open_remote
from parley.client.paths import api_path
from parley.client.replies import follow_reply
from parley.client.threads import ThreadsClient, thread_path
from parley.core.model.questions import Question
from parley.core.texts import Sentence, language_said

if TYPE_CHECKING:
    from parley.app.settings.load import LoadedSettings

_TIMEOUT = 30.0


class AsyncClient:
    """A Parley in this program, while it is entered; or, with a `url`, one that runs elsewhere.

    `config` is a configuration file, `settings` what could stand in one. Without either the configuration is
    that which `parley` would take in this folder. Who writes is the person of the chat page. `language` is
    that of Parley's own sentences, `timeout` the seconds for a request, but not for an answer of the agent.
    """

    def __init__(
        self,
        config: str | PathLike[str] | None = None,
        *,
        settings: Mapping[str, object] | None = None,
        url: str = "",
        token: str = "",
        language: str = "",
        timeout: float = _TIMEOUT,
    ) -> None:
        if sum((config is not None, settings is not None, bool(url))) > 1:
            raise ValueError("give one of config, settings and url")
        load = partial(_load, None if config is None else Path(config), settings)
        opening = open_remote(url, token, timeout) if url else open_embedded(load, timeout)
        self._connection, self._language = Connection(opening), language
        self.threads, self.files = ThreadsClient(self._connection), FilesClient(self._connection)
        self.memory = MemoryClient(self._connection)

    async def __aenter__(self) -> Self:
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._connection.close()

    def memory_of(self, person: str) -> MemoryClient:
        """Return the memory of somebody else, named as `telegram:4711`."""
        return MemoryClient(self._connection, person)

    async def models(self) -> ModelsAnswer:
        """Return the models that may be chosen; the message `/models NAME` chooses one for a thread."""
        return await self._connection.ask(ModelsAnswer, "GET", api_path("models"))

    async def chat(
        self,
        text: str,
        *,
        thread: str = "",
        topic: str = "",
        files: Sequence[FileSource] = (),
        timeout: float | None = None,
    ) -> ChatAnswer:
        """Say something and return the whole answer; without a `thread` in a new one.

        Raises ClientError; TimeoutError after `timeout` seconds: the turn goes on then, and its answer comes
        into the thread.
        """
        async with asyncio.timeout(timeout):
            place, message = await self._say(text, thread, topic, files)
            return await self._answer(place, message)

    async def stream(
        self, text: str, *, thread: str = "", topic: str = "", files: Sequence[FileSource] = ()
    ) -> AsyncGenerator[StreamEvent]:
        """Say something, and yield what happens until the answer is whole. Raises ClientError."""
        place, message = await self._say(text, thread, topic, files)
        yield MessageStored(place.chat, message)
        known: dict[str, TranscriptEntry] = {}
        async with aclosing(follow_reply(self._connection, place, message)) as entries:
            async for entry in entries:
                for event in compare_entries(known.get(entry.id), entry):
                    yield event
                known[entry.id] = entry

    async def decide(
        self, answer: ChatAnswer, *choices: str, text: str = "", timeout: float | None = None
    ) -> ChatAnswer:
        """Decide the questions of an answer, in their order, and return how it goes on.

        A choice is an option's id or label; with `edit`, `text` is the other arguments as JSON. Raises
        ClientError where a question is not open any more, ValueError for another number of choices than of
        questions, TimeoutError.
        """
        if len(choices) != len(answer.questions):
            raise ValueError(f"{len(answer.questions)} questions are open, not {len(choices)}")
        place = EntryLocation(answer.thread, answer.topic or None)
        async with asyncio.timeout(timeout):
            for question, choice in zip(answer.questions, choices, strict=True):
                await self._press(place, question, choice, text)
            return await self._answer(place, answer.message, answer.entries)

    async def _say(
        self, text: str, thread: str, topic: str, files: Sequence[FileSource]
    ) -> tuple[EntryLocation, str]:
        """Send a message; returns where it stands, and its id."""
        place, message = EntryLocation(thread or uuid4().hex, topic or None), uuid4().hex
        sent = [(await self.files.ensure_uploaded(file)).id for file in files]
        body = {"id": message, "text": text, "topic": place.topic, "files": sent, "language": self._language}
        await self._connection.send("POST", thread_path(place.chat, "messages"), json=body)
        return place, message

    async def _answer(
        self, place: EntryLocation, message: str, before: Sequence[TranscriptEntry] = ()
    ) -> ChatAnswer:
        seen = {entry.id for entry in before}
        async with aclosing(follow_reply(self._connection, place, message, seen)) as entries:
            whole = tuple([entry async for entry in entries if entry.final])
        return ChatAnswer(place.chat, place.topic or "", message, whole)

    async def _press(self, place: EntryLocation, question: Question, choice: str, text: str) -> None:
        ids = {option.label.casefold(): option.id for option in question.options}
        option = ids.get(choice.casefold(), choice)
        body = {"id": uuid4().hex, "question": question.id, "option": option, "text": text}
        more = {"topic": place.topic, "language": self._language}
        path = thread_path(place.chat, "decisions")
        told = (await self._connection.ask(NoticeAnswer, "POST", path, json=body | more)).text
        if not language_said(told, Sentence.QUESTION_TAKEN):
            raise ClientError(told, 409, "not_decided")


def _load(config: Path | None, settings: Mapping[str, object] | None) -> LoadedSettings:
    from parley.app.in_process.settings import given_settings, read_config

    return read_config(config) if settings is None else given_settings(settings)
