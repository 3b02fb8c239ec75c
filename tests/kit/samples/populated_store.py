"""A store in which many persons have been, each for a short while."""

from __future__ import annotations

from collections.abc import Iterator

from parley.core.hitl import audit
from parley.core.hitl.records import QuestionRecord, question_document_key
from parley.core.model.address import Conversation, User, account_key
from parley.core.model.codec import encode
from parley.core.model.feedback import AnswerWithButtons
from parley.core.model.options import DecisionRules
from parley.core.model.questions import Question
from parley.core.model.queues import turn_queue
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.state.conversations import ConversationRecord, conversation_document_key
from parley.core.state.feedback import answer_key
from parley.core.state.paired_accounts import PAIRED_PREFIX, PairedAccount
from parley.store.interface import Store


def person(number: int) -> str:
    """The account of one of them."""
    return account_key(_user(number))


async def fill_with_others(store: Store, number: int) -> None:
    """Two finished turns, a conversation, a question, its audit and a pairing for each of so many persons."""
    queue = turn_queue("test")
    for first in range(0, number, 100):
        some = range(first, min(first + 100, number))
        await store.put(
            *(NewQueueItem(queue, _place(n).key, encode(_said(n, turn))) for n in some for turn in "ab")
        )
        for claim in await store.claim(queue, 200):
            await store.done(claim, claim.items)
        for each in some:
            for document in _documents(each):
                await store.set(document)


def _user(number: int) -> User:
    return User("test", f"person-{number:06}", f"Person {number}")


def _place(number: int) -> Conversation:
    return Conversation("test", f"dm-{number:06}")


def _said(number: int, turn: str) -> InboundMessage:
    return InboundMessage(
        f"m{number}{turn}",
        _place(number),
        _user(number),
        "Good day",
        addressed=True,
        private=True,
        sent_at=1.0,
    )


def _documents(number: int) -> Iterator[Document]:
    owner, place = person(number), _place(number)
    record = ConversationRecord(owner=owner, title="Good day", said=("Good day",))
    yield Document(conversation_document_key(place), encode(record), 0)
    asked = QuestionRecord(
        question=Question(f"q{number}", "May I?", ()),
        interrupt="i",
        turn=f"t{number}",
        thread="th",
        conversation=place.key,
        place=place.key,
        asker=_user(number),
        private=True,
        reply_to="",
        language="en",
        asked_at=1.0,
        rules=DecisionRules(),
    )
    yield Document(question_document_key(asked.question.id), encode(asked), 0)
    yield audit.asked_document(asked)
    yield Document(f"{PAIRED_PREFIX}{owner}", encode(PairedAccount(owner, "", "test:admin", 1.0, "")), 0)
    yield Document(answer_key(f"t{number}"), encode(AnswerWithButtons("r", "th", place.key, owner, 1.0)), 0)
