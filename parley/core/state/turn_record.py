"""A turn's durable record: what a node must know to go on where another one died."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from parley.core.model.attachments import StoredFile, Transcript, UnreadFile
from parley.core.model.codec import decode, encode
from parley.core.model.questions import InterruptAnswer, Question
from parley.core.model.types import InboundMessage, Outcome, ReplyTarget, RunRef, Step
from parley.core.model.usage import TokenUsage
from parley.core.ports.channel import CURRENT_CHANNEL, Channel, Reply
from parley.core.ports.journal import Claim, Journal, QueueItem
from parley.core.ports.lease import uptime

_HEAR_EVERY = 5.0
"""Seconds between two notes of how far a run was followed."""

_HEAR_SUSPECT = 0.5
"""Seconds before the first of them where earlier claims vanished."""


class TurnStage(StrEnum):
    """How far a turn has come; each is durable before the next begins."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    ANSWERED = "answered"
    DELIVERED = "delivered"
    SKIPPED = "skipped"
    """There was nothing to do or to say."""
    REJECTED = "rejected"
    """The platform will never take the answer; kept for the operator."""


@dataclass(frozen=True)
class TurnRecord:
    """The checkpoint inside a turn's first item.

    `items` are the accepted items that are this turn. `handle` is the channel's own note about the reply.
    `answers` is what an interrupted run goes on with in this turn, `again` says that the message itself is
    still to be worked, `questions` what the turn ends with. `unread` are the files that the agent was not
    given whole. `reply` is the agent's part of `text` where that says more, and its first
    `preamble` characters were said before the last tool call. `reminded` says that the thread
    has a message with memory, `began` when it was first known to be there. `missed`
    says that there was no run, because the messages were too old. `counted` is when the turn was added to the
    counts of limits (Unix seconds, 0 for not yet), `refused` that one of them kept it from its run, `usage`
    what its run took. `refusal` is why the platform did not take the answer. `heard` is how far the run was
    followed: who is cut off later than before got further. `context` is what was said before, as it was read
    for the run; with the answer it goes. `transcripts` are the words of its voice messages. `tenure` is the
    lease under which it was worked last. `offers` are questions of our own below the answer, for which
    nothing waits. `title` is what the agent calls the conversation, where that is new, `suggestions` are what
    the person may ask next.
    """

    stage: TurnStage = TurnStage.ACCEPTED
    items: tuple[int, ...] = ()
    thread: str = ""
    run_id: str = ""
    handle: str = ""
    answers: tuple[InterruptAnswer, ...] = ()
    outcome: Outcome | None = None
    text: str = ""
    steps: tuple[Step, ...] = ()
    files: tuple[StoredFile, ...] = ()
    questions: tuple[Question, ...] = ()
    unread: tuple[UnreadFile, ...] = ()
    doubtful: bool = False
    broken: bool = False
    reply: str = ""
    reminded: bool = False
    again: bool = False
    began: float = 0.0
    counted: float = 0.0
    refused: bool = False
    usage: tuple[TokenUsage, ...] = ()
    missed: bool = False
    refusal: str = ""
    heard: int = 0
    context: str = ""
    transcripts: tuple[Transcript, ...] = ()
    preamble: int = 0
    tenure: str = ""
    title: str = ""
    suggestions: tuple[str, ...] = ()
    offers: tuple[Question, ...] = ()

    @property
    def heard_usage(self) -> tuple[TokenUsage, ...]:
        """Return what it took to hear its voice messages."""
        return tuple(each.usage for each in self.transcripts if each.usage is not None)

    @property
    def run(self) -> RunRef | None:
        """Return the run, once its id is known."""
        return RunRef(self.thread, self.run_id) if self.run_id else None


def _changed(record: TurnRecord, changes: Mapping[str, Any]) -> TurnRecord:
    """Return the record with other fields.

    dataclasses.replace, as every frozen value's `__init__`, goes through all of its fields one by one: five
    times in a turn that was a tenth of its CPU.
    """
    made = object.__new__(TurnRecord)
    vars(made).update(vars(record), **changes)
    return made


def read_turn_record(item: QueueItem) -> TurnRecord:
    """Return the record that an item carries; a fresh item carries the first one."""
    return decode(TurnRecord, item.note) if item.note else TurnRecord(items=(item.id,))


def has_lost_files(record: TurnRecord) -> bool:
    """Return whether a file of an answer is not on this machine: another node wrote it to its own disk."""
    return record.stage is TurnStage.ANSWERED and not all(Path(file.path).is_file() for file in record.files)


class TurnCheckpoint:
    """Keeps a turn's record in memory and on disk; writers may overlap, the newest state wins.

    `taken_over` says that the turn was worked under another lease before, whose calls may still arrive.
    """

    def __init__(self, journal: Journal, claim: Claim, head: QueueItem) -> None:
        self._journal = journal
        self._claim = claim
        self._head = head
        self._hear_next = uptime() + (_HEAR_SUSPECT if claim.crashes else _HEAR_EVERY)
        self.record = read_turn_record(head)
        self.taken_over = self.record.tenure not in ("", claim.tenure.id)

    def change(self, **changes: Any) -> None:  # noqa: ANN401 - field values of TurnRecord
        """Change fields of the record, to be written with the next checkpoint."""
        before = self.record
        # Only with something else: a claim whose note stays the same got no further (docs/running.md).
        if any(getattr(before, name) != value for name, value in changes.items()):
            self.record = _changed(before, {**changes, "tenure": self._claim.tenure.id})

    async def write(self, **changes: Any) -> None:  # noqa: ANN401
        """Change fields of the record; durable on return. Raises LaneLost, StoreUnavailable."""
        self.change(**changes)
        await self._journal.note(self._claim, self._head.id, encode(self.record))

    async def note_progress(self, heard: int) -> None:
        """Note now and then that a run was followed further than ever. Raises as `write` does."""
        if heard > self.record.heard and uptime() >= self._hear_next:
            self._hear_next = uptime() + _HEAR_EVERY
            await self.write(heard=heard)

    async def claim_items(self, items: Iterable[QueueItem]) -> None:
        """Note on further items of the turn, so that nobody can take them back any more.

        Raises LaneLost where somebody just did, StoreUnavailable.
        """
        for item in items:
            await self._journal.note(self._claim, item.id, encode(TurnRecord(items=(item.id,))))

    async def keep_handle(self, handle: str) -> None:
        """Keep the reply's handle."""
        await self.write(handle=handle)

    def open_reply(self, channel: Channel, turn_id: str, message: InboundMessage) -> Reply:
        """Open the turn's reply to `message`, going on from the handle that is kept."""
        CURRENT_CHANNEL.set(channel.name)
        return channel.open_reply(self.target(turn_id, message), self.keep_handle)

    def target(self, turn_id: str, message: InboundMessage) -> ReplyTarget:
        """Return where the turn's reply to `message` stands, or is to stand."""
        return ReplyTarget(
            turn_id,
            message.conversation,
            message.reply_to,
            message.sender,
            message.private,
            self.record.handle,
        )
