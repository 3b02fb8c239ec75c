"""What the page sends, as the core's inbound messages."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request

from parley.channels.web.bodies import Pressed
from parley.channels.web.entries import Entry, Place
from parley.channels.web.problems import Refused
from parley.core.ports import Inbox
from parley.core.types import Click, Conversation, InboundMessage, User

_QUOTED_CHARS = 4000
# No id from the page can begin so: ids have no colon.
_PRESSED = "stop:"


def is_stop_press(message_id: str) -> bool:
    """Whether the message was a press of the stop button, which needs no answer but the stopping."""
    return message_id.startswith(_PRESSED)


class Doorway:
    """The inbox while the channel listens, and nothing otherwise."""

    def __init__(self, user_name: str, clock: Callable[[], float]) -> None:
        self._user_name = user_name
        self._clock = clock
        self._inbox: Inbox | None = None

    def open(self, inbox: Inbox) -> None:
        """From now on messages go to `inbox`."""
        self._inbox = inbox

    def close(self) -> None:
        """From now on messages are refused."""
        self._inbox = None

    def check(self) -> Inbox:
        """The inbox. Raises Refused while there is none, so that a page keeps its message."""
        if self._inbox is None:
            raise Refused(503, "offline", "Parley is starting or stopping; please send it again.")
        return self._inbox

    async def accept(
        self, place: Place, entry: Entry, language: str, quoted: str = "", zone: str = ""
    ) -> None:
        """Hand an entry of the person's over, as new or as edited. Raises Refused, StoreUnavailable."""
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

    async def stop(self, place: Place, message_id: str, language: str) -> None:
        """Say `/stop` for the person, who wrote nothing. Raises Refused, StoreUnavailable."""
        sender, now = self._sender(language), self._clock()
        message = InboundMessage(
            _PRESSED + message_id,
            _conversation(place),
            sender,
            "/stop",
            addressed=True,
            private=True,
            sent_at=now,
        )
        await self.check().accept(message)

    async def decide(self, place: Place, pressed: Pressed, language: str) -> str:
        """Hand over the press of a question's button; returns what to tell the person.

        Raises Refused, StoreUnavailable.
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


def _conversation(place: Place) -> Conversation:
    return place.conversation


def language_of(request: Request, said: str) -> str:
    """The page's language, or the browser's first choice (a BCP 47 tag, or empty)."""
    if said:
        return said
    first = request.headers.get("accept-language", "").partition(",")[0].partition(";")[0].strip()
    return first if first != "*" and len(first) <= 35 else ""
