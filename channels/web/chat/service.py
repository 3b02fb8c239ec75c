"""Everything the web channel keeps, in one place."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from parley.channels.web.chat.conversations import ConversationStore
from parley.channels.web.chat.entries import ChatConversation, EntryLocation, TranscriptEntry
from parley.channels.web.chat.event_log import ChatChanged, ChatEvent, EntryShown, EventLog
from parley.channels.web.chat.node_sync import NodeSync
from parley.channels.web.chat.transcript import ChatTranscript
from parley.channels.web.files.file_ref import FileRef
from parley.channels.web.files.upload_store import UploadStore
from parley.core.model.address import Conversation, User
from parley.core.ports.channel import ChannelServices


class LiveReplies:
    """The newest snapshot of every reply that is not final yet, and which messages are said to wait for
    theirs: for pages that open meanwhile.
    """

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._shown: OrderedDict[str, EntryShown] = OrderedDict()
        self._waiting: OrderedDict[str, None] = OrderedDict()

    def note_message(self, entry: TranscriptEntry) -> None:
        """Note whether a message is said to wait; beyond the cap the first one is let go."""
        self._waiting.pop(entry.id, None)
        if entry.waits:
            self._waiting[entry.id] = None
            if len(self._waiting) > self._most:
                self._waiting.popitem(last=False)

    def as_shown(self, entry: TranscriptEntry) -> TranscriptEntry:
        """Return a stored entry as pages have been shown it."""
        return replace(entry, waits=True) if entry.id in self._waiting else entry

    def put(self, shown: EntryShown) -> None:
        """Replace the reply's snapshot; beyond the cap the longest silent one is let go."""
        self._shown[shown.entry.id] = shown
        self._shown.move_to_end(shown.entry.id)
        if len(self._shown) > self._most:
            self._shown.popitem(last=False)

    def drop(self, turn_id: str) -> None:
        """Forget a reply that is final, or whose conversation is gone."""
        self._shown.pop(turn_id, None)

    def clear(self) -> None:
        """Let go of all; what still grows comes again with its next snapshot."""
        self._shown.clear()
        self._waiting.clear()

    def all(self) -> Sequence[EntryShown]:
        """Return every growing reply."""
        return tuple(self._shown.values())

    def prune(self, changed: ChatChanged) -> None:
        """Let go of what grows in a chat, or a topic, that is not there any more."""
        known = {topic.id for topic in changed.chat.topics} if changed.chat else set()
        for shown in self.under(EntryLocation(changed.id)):
            if changed.chat is None or shown.place.topic not in (None, *known):
                self.drop(shown.entry.id)

    def under(self, place: EntryLocation) -> Sequence[EntryShown]:
        """Return the growing replies of a topic, or of a whole chat with its topics."""
        same = (shown for shown in self._shown.values() if shown.place.chat == place.chat)
        return [shown for shown in same if place.topic in (None, shown.place.topic)]


@dataclass(frozen=True, slots=True)
class ChatService:
    """The durable parts over one set of documents, and the live ones beside them."""

    transcript: ChatTranscript
    chats: ConversationStore
    shelf: UploadStore
    feed: EventLog
    growing: LiveReplies
    sharing: NodeSync
    clear: Callable[[Conversation], Awaitable[None]]
    take_back: Callable[[Conversation, str, User], Awaitable[bool]]

    @classmethod
    def create(cls, services: ChannelServices, clock: Callable[[], float]) -> ChatService:
        """Return a desk over what the channel may use; `clock` gives Unix seconds."""
        documents, feed, growing = services.documents, EventLog(), LiveReplies()
        shelf = UploadStore(documents, services.folder, clock, shared=services.news.shared)
        sharing = NodeSync(services.news, partial(_show, feed, growing), partial(_missed, feed, growing))
        return cls(
            ChatTranscript(documents, clock),
            ConversationStore(documents, clock),
            shelf,
            feed,
            growing,
            sharing,
            services.clear,
            services.withdraw,
        )

    async def announce(self, chat_id: str, chat: ChatConversation | None) -> None:
        """Tell every page about a conversation as it is now, or that it is gone. Raises StoreUnavailable."""
        await self._tell(ChatChanged(chat_id, chat))

    async def show(self, shown: EntryShown) -> None:
        """Tell every page about an entry, and later ones too while it grows. Raises StoreUnavailable."""
        await self._tell(shown)

    async def _tell(self, event: ChatEvent) -> None:
        _show(self.feed, self.growing, event)
        await self.sharing.publish(event)

    async def withdraw(self, place: EntryLocation, turn_id: str) -> None:
        """Take away a growing reply whose conversation, or topic, is gone. Raises StoreUnavailable."""
        self.growing.drop(turn_id)
        await self.announce(place.chat, await self.chats.get(place.chat))

    async def is_gone(self, place: EntryLocation) -> bool:
        """Tell whether a person deleted the conversation, or this topic of it."""
        chat = await self.chats.get(place.chat)
        return chat is None or (place.topic is not None and chat.topic(place.topic) is None)

    async def forget(self, place: EntryLocation) -> None:
        """Delete a conversation, or one topic of it, and let its words go beyond the channel too.

        Raises StoreUnavailable.
        """
        chat = await self.chats.get(place.chat) if place.topic is None else None
        for topic in (place.topic, *(each.id for each in (chat.topics if chat else ()))):
            await self.clear(EntryLocation(place.chat, topic).conversation)
        await self.delete(place)

    async def let_go(self, file: FileRef) -> None:
        """Remove a file of an entry that goes. Raises StoreUnavailable."""
        await self.shelf.drop(file.id)

    async def delete(self, place: EntryLocation) -> None:
        """Forget a conversation, or one topic of it, with every entry and file. Raises StoreUnavailable.

        Repeating it after a crash finishes the work: what lists the conversation goes last.
        """
        prefix = f"web/log/{place.chat}/" if place.topic is None else place.prefix
        await self.transcript.erase(prefix, self.let_go)
        if place.topic is None:
            await self.chats.drop(place.chat)
            await self.announce(place.chat, None)
        else:
            await self.announce(place.chat, await self.chats.drop_topic(place))


def _show(feed: EventLog, growing: LiveReplies, event: ChatEvent) -> None:
    """Let this node's pages see what happened, here or on another node."""
    if isinstance(event, ChatChanged):
        growing.prune(event)
    elif event.entry.role == "user":
        growing.note_message(event.entry)
    elif event.entry.final:
        growing.drop(event.entry.id)
    elif feed.ended(event):
        return  # an older snapshot of another node, which came late
    else:
        growing.put(event)
    feed.publish(event)


def _missed(feed: EventLog, growing: LiveReplies) -> None:
    growing.clear()
    feed.forget()
