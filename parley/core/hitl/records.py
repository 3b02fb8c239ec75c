"""Questions that wait for people: what is kept of each, and what puts them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode, encode
from parley.core.model.options import DecisionRules
from parley.core.model.questions import Click, Decision, Question
from parley.core.model.queues import QUESTIONS
from parley.core.ports.journal import Document, DocumentRepository, Journal, NewQueueItem

QUESTION_PREFIX = "question/"


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question of an interrupted run, or of our own below an answer (`offer`), from asked to decided.

    `interrupt` is the agent's own id of it, `question.id` our key. `conversation` is where the run belongs,
    `place` where it is asked. `handle` is the channel's note about the message that shows it, `shown` that
    it arrived. `until` is when time decides, 0 for never; `dropped` says that
    the conversation went on without it. It is the `number`-th of `total` that its turn asks. `messages` are
    the platform's ids of those that show it. Nothing waits for an offer; its `interrupt` is the fact's id,
    and its `turn` a name beside the turn's (`offer_turn`).
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
    rules: DecisionRules
    number: int = 1
    total: int = 1
    until: float = 0.0
    handle: str = ""
    decision: Decision | None = None
    dropped: bool = False
    messages: tuple[str, ...] = ()
    offer: bool = False

    @property
    def open(self) -> bool:
        """Return whether it may still be decided."""
        return self.decision is None and not self.dropped


class QuestionEventKind(StrEnum):
    """What is to be done about a question."""

    ASK = "ask"
    CLICK = "click"
    REMIND = "remind"
    EXPIRE = "expire"
    SETTLE = "settle"


@dataclass(frozen=True, slots=True)
class QuestionEvent:
    """A piece of work about one question.

    With the last decision of a turn its run goes on, unless it `resumes` nothing: words go on with the run
    in their own turn.
    """

    happening: QuestionEventKind
    key: str
    click: Click | None = None
    resumes: bool = True


def question_queue(channel: str) -> str:
    """Return where what happens to questions that are asked on a channel waits."""
    return f"{QUESTIONS}/{channel}"


def queue_of_question(record: QuestionRecord) -> str:
    """Return the queue of a question's work; what decides it is in the lane of its turn."""
    return question_queue(Conversation.parse(record.place).channel)


def question_key(turn: str, number: int) -> str:
    """Return a question's key: the same after a crash, and short enough for any button's data."""
    return f"{turn}-{number}"


def offer_turn(turn: str) -> str:
    """Return the name under which offers below a turn's answer are kept, beside its run's questions."""
    return f"{turn}o"


def question_document_key(key: str) -> str:
    """Return where a question is kept."""
    return f"{QUESTION_PREFIX}{key}"


def show_lane(turn: str) -> str:
    """Return the lane of what a turn's questions show."""
    return f"{turn}/show"


def event_item(record: QuestionRecord, happening: QuestionEventKind, delay: float = 0.0) -> NewQueueItem:
    """Return the work that `happening` makes, once for each question.

    What a turn shows waits in one lane, so that its questions appear in their order; the clocks and the
    decisions have others: a decision must wait for neither a slow platform nor for tomorrow.
    """
    key = record.question.id
    lane = f"{key}/clock/{happening}" if delay else show_lane(record.turn)
    return NewQueueItem(
        queue_of_question(record),
        lane,
        encode(QuestionEvent(happening, key)),
        f"{happening}:{key}:{delay > 0}",
        delay,
    )


def click_item(record: QuestionRecord, event: QuestionEvent, dedupe: str) -> NewQueueItem:
    """Return a decision's item: those of one turn are taken one by one, so that the last is known."""
    return NewQueueItem(queue_of_question(record), record.turn, encode(event), dedupe)


async def waiting_decisions(journal: Journal, record: QuestionRecord) -> tuple[QuestionEvent, ...]:
    """Return what is to decide a question, or others of its turn, in the order in which it was stored.

    Raises StoreUnavailable.
    """
    found = await journal.waiting(queue_of_question(record), record.turn)
    return tuple(decode(QuestionEvent, item.body) for item in found)


def decode_question(document: Document) -> QuestionRecord | None:
    """Return the record of a document; None for one that is not there."""
    return decode(QuestionRecord, document.body) if document.body else None


def question_document(document: Document, record: QuestionRecord) -> Document:
    """`document` with `record` as its body."""
    return replace(document, body=encode(record))


def new_question_document(record: QuestionRecord) -> Document:
    """Return the document of a new question."""
    return Document(question_document_key(record.question.id), encode(record), 0)


async def questions_of_turn(
    documents: DocumentRepository, turn: str
) -> Sequence[tuple[QuestionRecord, Document]]:
    """Return all questions of a turn, in their order. Raises StoreUnavailable."""
    found = await documents.list(question_document_key(f"{turn}-"))
    questions = [
        (record, document) for document in found if (record := decode_question(document)) is not None
    ]
    return sorted(questions, key=lambda each: int(each[0].question.id.rpartition("-")[2]))
