"""What is kept of the conversations that a person takes part in: theirs alone, or shared with others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, replace

from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.ports.subject_index import iter_about
from parley.core.privacy.data_subject import DataSubject
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, ConversationRepository


@dataclass(frozen=True, slots=True)
class PersonConversation:
    """A conversation's record, and the document it was read from; `alone` where nobody else is in it."""

    conversation: Conversation
    record: ConversationRecord
    document: Document
    alone: bool


async def list_conversations(
    documents: DocumentRepository, subject: DataSubject, private: Collection[str]
) -> AsyncIterator[PersonConversation]:
    """Yield the conversations whose records have something of the person.

    `private` are the keys of conversations that are known to be theirs alone.
    """
    async for document in _candidates(documents, subject, tuple(private)):
        conversation = Conversation.parse(document.key.removeprefix(CONVERSATION_PREFIX))
        record = decode(ConversationRecord, document.body)
        alone = _is_alone(record, subject) or (conversation.key in private and not record.owner)
        shared = not alone and not _is_private(record)
        if alone or (shared and without_data_subject(conversation, record, subject) != record):
            yield PersonConversation(conversation, record, document, alone)


async def _candidates(
    documents: DocumentRepository, subject: DataSubject, private: Sequence[str]
) -> AsyncIterator[Document]:
    seen = set()
    async for document in iter_about(documents, subject.accounts, CONVERSATION_PREFIX):
        seen.add(document.key)
        yield document
    for key in private:
        document = await documents.get(f"{CONVERSATION_PREFIX}{key}")
        if document.version and document.key not in seen:
            yield document


def thread_ids(conversations: ConversationRepository, talk: PersonConversation) -> tuple[str, ...]:
    """Return the LangGraph threads that a conversation has and had."""
    generations = range(talk.record.generation + 1)
    records = (replace(talk.record, generation=each) for each in generations)
    return tuple(conversations.thread_id(talk.conversation, record) for record in records)


def without_words(record: ConversationRecord) -> ConversationRecord:
    """Return the record without anybody's words: what finds its threads again stays."""
    return replace(record, question=None, title="", said=(), voices=(), last=(), missed=None)


def without_data_subject(
    conversation: Conversation, record: ConversationRecord, subject: DataSubject
) -> ConversationRecord:
    """Return the record of a conversation with others without this person's share.

    Words of whom an older Parley did not note go too: they may be theirs.
    """
    record = _without_messages(record, subject)
    pending = record.question
    if pending is not None and subject.is_one(User(conversation.channel, pending.asker)):
        record = replace(record, question=None)
    if len(record.voices) != len(record.said) + 1:
        return replace(record, title="", said=(), voices=()) if record.title or record.said else record
    titled, *voices = record.voices
    mine = set(subject.accounts)
    left = [(said, who) for said, who in zip(record.said, voices, strict=True) if not mine.intersection(who)]
    if len(left) == len(voices) and not mine.intersection(titled):
        return record
    named = not mine.intersection(titled)
    return replace(
        record,
        title=record.title if named else "",
        said=tuple(said for said, _ in left),
        voices=(titled if named else (), *(who for _, who in left)),
    )


def _without_messages(record: ConversationRecord, subject: DataSubject) -> ConversationRecord:
    """Return a turn that is theirs in part cannot be asked again as it was."""
    if any(subject.is_one(message.sender) for message in record.last):
        record = replace(record, last=())
    if record.missed is not None and any(subject.is_one(each.sender) for each in record.missed.messages):
        record = replace(record, missed=None)
    return record


def _is_alone(record: ConversationRecord, subject: DataSubject) -> bool:
    if record.owner:
        return record.owner in subject.accounts
    return bool(record.last) and all(_is_theirs(message, subject) for message in record.last)


def _is_private(record: ConversationRecord) -> bool:
    return bool(record.owner) or any(message.private for message in record.last)


def _is_theirs(message: InboundMessage, subject: DataSubject) -> bool:
    return message.private and subject.is_one(message.sender)
