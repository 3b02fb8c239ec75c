"""What the page sends, as the core's inbound messages."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request

from parley.channels.web.api.http_errors import WebApiError
from parley.channels.web.api.request_bodies import DecisionBody
from parley.channels.web.chat.entries import STOP_PREFIX, EntryLocation, TranscriptEntry
from parley.core.model.address import Conversation, User
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Inbox

_QUOTED_CHARS = 4000


class WebInbox:
    """The inbox while the channel listens, and nothing otherwise."""

    def __init__(self, user_name: str, clock: Callable[[], float]) -> None:
        self._user_name = user_name
        self._clock = clock
        self._inbox: Inbox | None = None

    def open(self, inbox: Inbox) -> None:
        """Hand messages to `inbox` from now on."""
        self._inbox = inbox

    def close(self) -> None:
        """Refuse messages from now on."""
        self._inbox = None

    def check(self) -> Inbox:
        """Return the inbox. Raises WebApiError while there is none, so that a page keeps its message."""
        if self._inbox is None:
            raise WebApiError(503, "offline", "Parley is starting or stopping; please send it again.")
        return self._inbox

    async def accept(
        self, place: EntryLocation, entry: TranscriptEntry, language: str, quoted: str = "", zone: str = ""
    ) -> None:
        """Hand an entry of the person's over, as new or as edited. Raises WebApiError, StoreUnavailable."""
        message = InboundMessage(
            id=f"{entry.id}:edit:{entry.edit}" if entry.edit else entry.id,
            conversation=_conversation(place),
            sender=self._sender(language, zone),
            text=entry.text,
            addressed=True,
            private=True,
            sent_at=(entry.edited or entry.pos) / 1_000_000,
            attachments=tuple(file.attachment() for file in entry.files),
            quoted=quoted[:_QUOTED_CHARS],
            edits=entry.id if entry.edit else "",
        )
        await self.check().accept(message)

    async def stop(self, place: EntryLocation, message_id: str, language: str) -> None:
        """Say `/stop` for the person, who wrote nothing. Raises WebApiError, StoreUnavailable."""
        sender, now = self._sender(language), self._clock()
        message = InboundMessage(
            STOP_PREFIX + message_id,
            _conversation(place),
            sender,
            "/stop",
            addressed=True,
            private=True,
            sent_at=now,
        )
        await self.check().accept(message)

    async def decide(self, place: EntryLocation, pressed: DecisionBody, language: str) -> str:
        """Hand over the press of a question's button; returns what to tell the person.

        Raises WebApiError, StoreUnavailable.
        """
        click = Click(
            pressed.id,
            pressed.question,
            pressed.option,
            self._sender(language),
            _conversation(place),
            private=True,
            text=pressed.text,
        )
        return await self.check().decide(click)

    @property
    def person(self) -> User:
        """Who writes on the page."""
        return self._sender("")

    def _sender(self, language: str, zone: str = "") -> User:
        return User("web", "local", self._user_name, language=language, zone=zone)


def _conversation(place: EntryLocation) -> Conversation:
    return place.conversation


def request_language(request: Request, said: str) -> str:
    """Return the page's language, or the browser's first choice (a BCP 47 tag, or empty)."""
    if said:
        return said
    first = request.headers.get("accept-language", "").partition(",")[0].partition(";")[0].strip()
    return first if first != "*" and len(first) <= 35 else ""
