"""A channel without a platform: it takes what it is given and tells who waits for it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment
from parley.core.model.errors import AttachmentRefused
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Capabilities, Channel, Checkpoint, Inbox, Reply
from parley.core.texts import Sentence


@dataclass(slots=True)
class Watch:
    """What was seen of one message's turn; times are those of `time.perf_counter`.

    `seen` is set with the first text.
    """

    began: float
    answered: asyncio.Future[str]
    seen: asyncio.Event = field(default_factory=asyncio.Event)
    first_text: float = 0.0
    finished: float = 0.0
    shows: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How slow the platform is: seconds between two edits, and seconds that each edit takes."""

    interval: float = 0.0
    edit_takes: float = 0.0


class NullReply(Reply):
    """Counts and times what is shown."""

    def __init__(self, watch: Watch | None, pace: Pace) -> None:
        self._watch = watch
        self._pace = pace

    async def show(self, snapshot: OutboundMessage) -> None:
        if self._pace.edit_takes:
            await asyncio.sleep(self._pace.edit_takes)
        if self._watch is not None:
            self._watch.shows += 1
            if snapshot.text and not self._watch.first_text:
                self._watch.first_text = time.perf_counter()
                self._watch.seen.set()

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        if self._watch is not None and not self._watch.answered.done():
            self._watch.finished = time.perf_counter()
            self._watch.answered.set_result(snapshot.text)
        return Receipt((snapshot.turn_id,))


@dataclass
class NullChannel(Channel):
    """Streams by editing, with no limits of its own; `watched` is keyed by the message's id."""

    pace: Pace = Pace()
    watched: dict[str, Watch] = field(default_factory=dict)
    name = "null"

    def __post_init__(self) -> None:
        interval = self.pace.interval
        self.capabilities = Capabilities(100_000, interval, interval, buttons=False)

    async def listen(self, inbox: Inbox) -> None:
        inbox.online()
        await asyncio.Event().wait()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return NullReply(self.watched.get(target.reply_to), self.pace)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        raise AttachmentRefused("There are no files here.", Sentence.FILE_GONE)

    def watch(self, message: InboundMessage) -> Watch:
        """Begin to time a message's turn."""
        watch = Watch(time.perf_counter(), asyncio.get_running_loop().create_future())
        self.watched[message.id] = watch
        return watch


def message(number: int | str, text: str = "Tell me something in twenty words, please.") -> InboundMessage:
    """A private message of somebody in a conversation of their own."""
    person = f"person-{number}"
    return InboundMessage(
        id=f"message-{number}-{text[:7]}",
        conversation=Conversation("null", person),
        sender=User("null", person, "A person"),
        text=text,
        addressed=True,
        private=True,
        sent_at=time.time(),
    )
