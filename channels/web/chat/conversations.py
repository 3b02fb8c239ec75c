"""The list of conversations: one document each, its topics inside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from parley.channels.kit.keyed_lock import KeyedLock
from parley.channels.web.chat.entries import (
    CHAT,
    ChatConversation,
    EntryLocation,
    OpenQuestion,
    WebTopic,
    title_of,
)
from parley.channels.web.documents import read_document
from parley.core.ports.journal import Document, DocumentRepository, iter_documents, update_document

_PREFIX = "web/chat/"
Change = Callable[[ChatConversation], ChatConversation]


class ConversationStore:
    """Conversations by id. Every method raises StoreUnavailable."""

    def __init__(self, documents: DocumentRepository, clock: Callable[[], float]) -> None:
        self._documents = documents
        self._clock = clock
        self._locks = KeyedLock()

    async def all(self) -> tuple[ChatConversation, ...]:
        """Return every conversation, the one with the newest activity first."""
        documents = iter_documents(self._documents, _PREFIX)
        found = [_read(document) async for document in documents]
        return tuple(sorted(found, key=lambda chat: chat.updated, reverse=True))

    async def get(self, chat_id: str) -> ChatConversation | None:
        """Return the conversation, if there is one."""
        document = await self._documents.get(_PREFIX + chat_id)
        return _read(document) if document.version else None

    async def save(self, chat_id: str, title: str) -> ChatConversation:
        """Create a conversation, or give it a title; an empty title changes nothing."""

        def change(chat: ChatConversation) -> ChatConversation:
            return replace(chat, title=title, named=True) if title else chat

        return await self._change(chat_id, change)

    async def save_topic(self, place: EntryLocation, title: str, about: str) -> ChatConversation:
        """Create a topic, or rename it."""

        def change(chat: ChatConversation) -> ChatConversation:
            topic = self._topic(chat, place, title, about)
            return _with(chat, replace(topic, title=title or topic.title))

        return await self._change(place.chat, change)

    async def touch(
        self, place: EntryLocation, text: str, asks: str = "", title: str = ""
    ) -> ChatConversation:
        """Note activity, creating what is not there; a first message gives the title.

        `asks` is an entry that waits for a decision from now on. The agent's own `title` takes the place of
        one that no person chose.
        """

        def change(chat: ChatConversation) -> ChatConversation:
            now = self._clock()
            if asks:
                chat = _settled(chat, asks)
                chat = replace(chat, waiting=(*chat.waiting, OpenQuestion(asks, place.topic)))
            if place.topic is not None:
                topic = self._topic(chat, place, title_of(text), "")
                return replace(_with(chat, replace(topic, updated=now)), updated=now)
            told = title if title and not chat.named else chat.title
            return replace(chat, title=told or title_of(text), updated=now)

        return await self._change(place.chat, change)

    async def settle(self, place: EntryLocation, entry_id: str) -> ChatConversation | None:
        """Note that an entry waits for no decision any more; None where nobody knew that it did."""
        chat = await self.get(place.chat)
        if chat is None or chat == _settled(chat, entry_id):
            return None
        return await self._change(place.chat, lambda chat: _settled(chat, entry_id))

    async def drop_topic(self, place: EntryLocation) -> ChatConversation:
        """Take a topic out of its conversation, with what waits in it."""

        def change(chat: ChatConversation) -> ChatConversation:
            topics = tuple(each for each in chat.topics if each.id != place.topic)
            waiting = tuple(each for each in chat.waiting if each.topic != place.topic)
            return replace(chat, topics=topics, waiting=waiting)

        return await self._change(place.chat, change)

    async def drop(self, chat_id: str) -> None:
        """Take a conversation out of the list."""
        await self._documents.delete(_PREFIX + chat_id)

    def _topic(self, chat: ChatConversation, place: EntryLocation, title: str, about: str) -> WebTopic:
        now = self._clock()
        return chat.topic(place.topic or "") or WebTopic(place.topic or "", title, about, now, now)

    async def _change(self, chat_id: str, change: Change) -> ChatConversation:
        # One at a time here: of sixty that begin together, each but one would have to begin again.
        async with self._locks.hold(chat_id):
            return await self._change_alone(chat_id, change)

    async def _change_alone(self, chat_id: str, change: Change) -> ChatConversation:
        def changed(document: Document) -> tuple[ChatConversation, str | None]:
            now = self._clock()
            known = _read(document) if document.version else ChatConversation(chat_id, "", False, now, now)
            after = change(known)
            same = document.version and after == known
            return after, None if same else CHAT.dump_json(after).decode()

        return await update_document(self._documents, _PREFIX + chat_id, changed)


def _settled(chat: ChatConversation, entry_id: str) -> ChatConversation:
    return replace(chat, waiting=tuple(each for each in chat.waiting if each.entry != entry_id))


def _read(document: Document) -> ChatConversation:
    """Return the conversation; of a damaged document one without a title, which leads to what was said."""
    chat_id = document.key.removeprefix(_PREFIX)
    return read_document(CHAT, document) or ChatConversation(chat_id, "", False, 0.0, 0.0)


def _with(chat: ChatConversation, topic: WebTopic) -> ChatConversation:
    others = tuple(known for known in chat.topics if known.id != topic.id)
    return replace(chat, topics=(*others, topic))
