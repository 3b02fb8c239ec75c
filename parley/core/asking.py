"""Questions that wait for people: what is kept of each, and what puts them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from parley.core.codec import decode, encode
from parley.core.deciding import Rules
from parley.core.journal import Document, Documents, Put
from parley.core.queues import QUESTIONS
from parley.core.types import Click, Conversation, Decision, Question, User

PREFIX = "question/"


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question of an interrupted run, from asked to decided.

    `interrupt` is the agent's own id of it, `question.id` our key. `conversation` is where the run belongs,
    `place` where it is asked. `handle` is the channel's note about the message that shows it, `shown` that
    it arrived. `until` is when time decides, 0 for never; `dropped` says that
    the conversation went on without it. It is the `number`-th of `total` that its turn asks.
    """

    question: Question
    interrupt: str
    turn: str
    thread: str
    conversation: str
    place: str
    asker: User
    private: bool
    reply_to: str
    language: str
    asked_at: float
    rules: Rules
    number: int = 1
    total: int = 1
    until: float = 0.0
    handle: str = ""
    decision: Decision | None = None
    dropped: bool = False

    @property
    def open(self) -> bool:
        """Whether it may still be decided."""
        return self.decision is None and not self.dropped


class Happening(StrEnum):
    """What is to be done about a question."""

    ASK = "ask"
    CLICK = "click"
    REMIND = "remind"
    EXPIRE = "expire"
    SETTLE = "settle"


@dataclass(frozen=True, slots=True)
class QuestionEvent:
    """A piece of work about one question."""

    happening: Happening
    key: str
    click: Click | None = None


def queue_of(channel: str) -> str:
    """Where what happens to questions that are asked on a channel waits."""
    return f"{QUESTIONS}/{channel}"


def key_of(turn: str, number: int) -> str:
    """A question's key: the same after a crash, and short enough for any button's data."""
    return f"{turn}-{number}"


def document_key(key: str) -> str:
    """Where a question is kept."""
    return f"{PREFIX}{key}"


def event_put(record: QuestionRecord, happening: Happening, delay: float = 0.0) -> Put:
    """The work that `happening` makes, once for each question.

    What is shown waits in a lane of its own, as do the clocks: a lane is strictly in order, and a decision
    must wait for neither a slow platform nor for tomorrow.
    """
    key, channel = record.question.id, Conversation.parse(record.place).channel
    lane = f"{key}/clock/{happening}" if delay else f"{key}/show"
    return Put(
        queue_of(channel),
        lane,
        encode(QuestionEvent(happening, key)),
        f"{happening}:{key}:{delay > 0}",
        delay,
    )


def click_put(record: QuestionRecord, event: QuestionEvent, dedupe: str) -> Put:
    """A decision on its way: those of one turn are taken one by one, so that the last of them is known."""
    return Put(queue_of(Conversation.parse(record.place).channel), record.turn, encode(event), dedupe)


def read(document: Document) -> QuestionRecord | None:
    """The record of a document; None for one that is not there."""
    return decode(QuestionRecord, document.body) if document.body else None


def written(document: Document, record: QuestionRecord) -> Document:
    """`document` with `record` as its body."""
    return replace(document, body=encode(record))


def fresh(record: QuestionRecord) -> Document:
    """The document of a new question."""
    return Document(document_key(record.question.id), encode(record), 0)


async def of_turn(documents: Documents, turn: str) -> Sequence[tuple[QuestionRecord, Document]]:
    """All questions of a turn, in their order. Raises StoreUnavailable."""
    found = await documents.list(document_key(f"{turn}-"))
    questions = [(record, document) for document in found if (record := read(document)) is not None]
    return sorted(questions, key=lambda each: int(each[0].question.id.rpartition("-")[2]))
