"""What is kept of each conversation: its LangGraph thread, its choices, and the question it waits on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TypeAlias, TypedDict
from uuid import UUID, uuid4, uuid5

from parley.core.model.address import Conversation, User, account_key
from parley.core.model.bots import BotTurns
from parley.core.model.codec import decode, encode
from parley.core.model.earlier_messages import NO_MESSAGE, MessagePosition
from parley.core.model.errors import DocumentConflict
from parley.core.model.options import BusyPolicy, ChannelOptions
from parley.core.model.types import InboundMessage, SessionSettings
from parley.core.ports.journal import Document, DocumentRepository, update_document

CONVERSATION_PREFIX = "thread/"
_INSTANCE = "instance"
_IDS_KEPT = 4096
"""Ids that are not made again: a turn asks for its own several times."""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A run of `asker` (a platform user id) waits for its turn's questions, named by their keys."""

    keys: tuple[str, ...]
    asker: str
    asker_name: str
    turn: str


@dataclass(frozen=True, slots=True)
class MissedMessages:
    """Messages that came while nobody was there, offered at a time to be answered after all."""

    messages: tuple[InboundMessage, ...]
    at: float


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """The durable side of a conversation.

    Each `/new` raises `generation`; `since` is the item id of that command. `model` and `assistant` are
    what somebody chose here, or empty; `assistant_names` is what that assistant is called beside, its name
    first. `title` is how its first message began. `said` is how the latest
    messages began, oldest first. `reminded` says that the thread has memory in it. `last`
    is what the last turn was asked, to be asked again. `missed` is what was offered to be asked after all.
    `when_busy` is what somebody chose here, or None. `owner` is the account that a private conversation
    is with. `voices` are the accounts whose words stand in `title` (the first entry) and `said` (one each),
    none where all words are the owner's.
    `asked` is the newest message of a group that its agent knows: what is brought of the talk there begins
    after it. `asked_before` is what that was for the last turn, should it run again. `bots` counts the turns
    that bots caused. `rateable` is the turn of the newest answer that people may rate.
    """

    generation: int = 0
    since: int = 0
    model: str = ""
    assistant: str = ""
    question: PendingQuestion | None = None
    owner: str = ""
    voices: tuple[tuple[str, ...], ...] = ()
    title: str = ""
    last_at: float = 0.0
    said: tuple[str, ...] = ()
    reminded: bool = False
    last: tuple[InboundMessage, ...] = ()
    when_busy: BusyPolicy | None = None
    missed: MissedMessages | None = None
    assistant_names: tuple[str, ...] = ()
    asked: MessagePosition = NO_MESSAGE
    asked_before: MessagePosition = NO_MESSAGE
    bots: BotTurns = BotTurns()  # noqa: RUF009 - frozen
    rateable: str = ""

    def still_offered(self, message: InboundMessage) -> MissedMessages | None:
        """Return what is left of the offer after this message: it ends when taken up, or passed over."""
        missed = self.missed
        return None if missed is None or message.retries or message.sent_at > missed.at else missed


_NOTHING = ConversationRecord()

LoadedConversation: TypeAlias = tuple[ConversationRecord, Document]
"""A record, and the document it was read from."""


def conversation_document_key(conversation: Conversation) -> str:
    """Return where a conversation's record is kept."""
    return CONVERSATION_PREFIX + conversation.key


class ConversationRepository:
    """Reads and changes conversation records; `instance` keeps two installations' threads apart."""

    def __init__(self, documents: DocumentRepository, instance: UUID) -> None:
        self._documents = documents
        self._id_of = lru_cache(maxsize=_IDS_KEPT)(partial(uuid5, instance))

    @classmethod
    async def open(cls, documents: DocumentRepository) -> ConversationRepository:
        """With this installation's own id, made at its first start."""
        known = await documents.get(_INSTANCE)
        if not known.body:
            try:
                known = await documents.set(Document(_INSTANCE, str(uuid4()), known.version))
            except DocumentConflict:
                known = await documents.get(_INSTANCE)
        return cls(documents, UUID(known.body))

    def thread_id(self, conversation: Conversation, record: ConversationRecord) -> str:
        """Return the LangGraph thread: the same id on every node and after every restart."""
        return str(self._id_of(f"thread {conversation.key} {record.generation}"))

    def turn_id(self, item: int) -> str:
        """Return the id of the turn that an accepted item begins."""
        return self._id_of(f"turn {item}").hex

    def message_id(self, conversation: Conversation, message: str) -> str:
        """Return the id of the human message on the thread, so that sending it again replaces it."""
        return str(self._id_of(f"message {conversation.key} {message}"))

    async def read(self, conversation: Conversation) -> LoadedConversation:
        """Return the record, and the document it was read from."""
        return await load_conversation(self._documents, conversation)

    async def change(
        self, conversation: Conversation, change: Callable[[ConversationRecord], ConversationRecord]
    ) -> ConversationRecord:
        """Apply `change`, again if somebody else was quicker; returns the record as written."""

        def changed(document: Document) -> tuple[ConversationRecord, str | None]:
            record = decode_conversation(document)
            after = change(record)
            return after, None if after == record else encode(after)

        return await update_document(self._documents, conversation_document_key(conversation), changed)


async def keep_topic(documents: DocumentRepository, conversation: Conversation) -> None:
    """Give a topic a record where it has none, as no turn of it came to an end. Raises StoreUnavailable."""
    if conversation.topic is None:
        return
    await update_document(
        documents,
        conversation_document_key(conversation),
        lambda document: (None, None if document.version else encode(_NOTHING)),
    )


async def load_conversation(documents: DocumentRepository, conversation: Conversation) -> LoadedConversation:
    """Return a conversation's record, and the document it was read from. Raises StoreUnavailable."""
    document = await documents.get(conversation_document_key(conversation))
    return decode_conversation(document), document


def decode_conversation(document: Document) -> ConversationRecord:
    """Return the record that a conversation's document holds."""
    return decode(ConversationRecord, document.body) if document.body else _NOTHING


def conversation_document(document: Document, record: ConversationRecord) -> Document:
    """`document` with `record` as its body, to be set under the version it was read at."""
    return Document(document.key, encode(record), document.version)


class Authors(TypedDict):
    """Those of a conversation's fields that say whose words it has."""

    owner: str
    voices: tuple[tuple[str, ...], ...]


def authors_of(
    before: ConversationRecord, title: str, said: tuple[str, ...], asked: Sequence[InboundMessage]
) -> Authors:
    """Return whose words a conversation has: those of `asked` where it says more than `before`."""
    authors = tuple(dict.fromkeys(account_key(message.sender) for message in asked))
    titled, *voices = before.voices or _voices_of_owner(before)
    if title != before.title:
        titled = authors
    if said is not before.said:
        voices = [*voices, authors][-len(said) :]
    owner = authors[0] if asked[0].private else before.owner
    # Most conversations are private: their records are shorter without the same name four times.
    owners_alone = owner and {titled, *voices} <= {(), (owner,)}
    return {"owner": owner, "voices": () if owners_alone else (titled, *voices)}


def _voices_of_owner(record: ConversationRecord) -> Sequence[tuple[str, ...]]:
    """Return whose words a record without voices has; without an owner nobody noted them."""
    return ((record.owner,),) * (len(record.said) + 1) if record.owner else ((),)


def with_chosen_session(options: ChannelOptions, user: User, record: ConversationRecord) -> SessionSettings:
    """Return how runs are made for somebody in this conversation, with what was chosen there.

    What is not offered there any more is as if nobody had chosen it. The model travels as `model_name`. The
    configured input and output are those of the configured assistant, and go with it.
    """
    session = options.session_of(user.id)
    chosen = record.assistant
    if chosen not in ("", session.assistant) and options.offers_assistant(chosen, *record.assistant_names):
        session = replace(session, assistant=chosen, input={}, output="")
    if record.model and options.offers_model(record.model):
        session = replace(session, context={**session.context, "model_name": record.model})
    return session


def chosen_name(session: SessionSettings, record: ConversationRecord) -> str:
    """Return what the session's assistant is called: by its name where somebody chose it, not its id."""
    chosen = record.assistant_names if session.assistant == record.assistant else ()
    return next(iter(chosen), session.assistant)
