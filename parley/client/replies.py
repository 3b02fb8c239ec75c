"""Following a reply until it is whole."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Container
from contextlib import aclosing
from dataclasses import dataclass, field

import httpx
from pydantic import TypeAdapter, ValidationError

from parley.app.openapi.answers import MessagesAnswer
from parley.channels.web.chat.entries import ChatConversation, EntryLocation, TranscriptEntry
from parley.channels.web.chat.event_log import ChatChanged, EntryShown
from parley.client.connection import Connection, ServerEvent, not_parley
from parley.client.errors import ClientError
from parley.client.threads import thread_path

_SHOWN: TypeAdapter[EntryShown] = TypeAdapter(EntryShown)
_CHANGED: TypeAdapter[ChatChanged] = TypeAdapter(ChatChanged)
_PATIENCE = 60.0
"""Seconds for which a Parley that went away is waited for: it comes back with every accepted message."""
_PAUSE = 0.5


@dataclass
class _Wanted:
    """Tells the reply to a message, and the questions that follow it, from all else."""

    message: str
    before: Container[str]
    done: set[str] = field(default_factory=set)
    awaited: int = 1

    def is_complete(self) -> bool:
        """Return whether all of it was there."""
        return len(self.done) >= self.awaited

    def check(self, entry: TranscriptEntry) -> None:
        """Raise ClientError where the entry says that no reply will come."""
        if entry.role == "user" and entry.id == self.message and entry.withdrawn:
            raise ClientError("The message was taken back before it was answered.", 409, "withdrawn")

    def takes(self, entry: TranscriptEntry) -> bool:
        """Return whether the entry is part of it, and new."""
        if entry.role != "agent" or entry.reply_to != self.message:
            return False
        if entry.id in self.before or entry.id in self.done:
            return False
        if entry.final:
            self.done.add(entry.id)
            self.awaited += entry.asks
        return True


async def follow_reply(
    connection: Connection, place: EntryLocation, message: str, before: Container[str] = ()
) -> AsyncGenerator[TranscriptEntry]:
    """Yield the growing reply to `message`, each time whole, until it is final; then what it asks.

    Entries of the ids `before` are no news. A lost connection is made again. Raises ClientError where Parley
    stays away.
    """
    wanted, last, gone_since = _Wanted(message, before), "", time.monotonic()
    while not wanted.is_complete():
        try:
            async with aclosing(connection.events(last)) as events:
                async for event in events:
                    last, gone_since = event.id or last, time.monotonic()
                    for entry in await _entries(connection, place, event):
                        wanted.check(entry)
                        if wanted.takes(entry):
                            yield entry
                    if wanted.is_complete():
                        return
        except httpx.TransportError as error:
            if not connection.api.remote or time.monotonic() - gone_since > _PATIENCE:
                text = "Parley went away; the message is kept, and answered when it is back."
                raise ClientError(text) from error
        await asyncio.sleep(_PAUSE)


async def _entries(connection: Connection, place: EntryLocation, event: ServerEvent) -> list[TranscriptEntry]:
    """Return the entries that an event tells of; a `reset` tells to look at all of them.

    Raises ClientError where the thread is not there any more.
    """
    if event.name == "reset":
        path = thread_path(place.chat, "messages")
        await connection.ask(ChatConversation, "GET", thread_path(place.chat))
        page = await connection.ask(MessagesAnswer, "GET", path, topic=place.topic or "")
        return [*page.entries, *page.growing]
    try:
        if event.name == "chat":
            changed = _CHANGED.validate_python(event.data)
            if changed.id == place.chat and _is_gone(changed, place):
                raise ClientError("The thread was deleted before its answer was whole.", 404, "unknown")
        return [_SHOWN.validate_python(event.data).entry] if event.name == "entry" else []
    except ValidationError as error:
        raise not_parley() from error


def _is_gone(changed: ChatChanged, place: EntryLocation) -> bool:
    """Return whether a thread, or the topic of it, was deleted."""
    chat = changed.chat
    return chat is None or (place.topic is not None and chat.topic(place.topic) is None)
