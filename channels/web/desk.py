"""Everything the web channel keeps, in one place."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bridge.ports import Documents
from channels.web.chats import Chats
from channels.web.entries import Chat, Place
from channels.web.feed import ChatChanged, EntryShown, Feed
from channels.web.files import Shelf
from channels.web.transcript import Transcript


class Growing:
    """The newest snapshot of every reply that is not final yet, for pages that open meanwhile."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._shown: OrderedDict[str, EntryShown] = OrderedDict()

    def put(self, shown: EntryShown) -> None:
        """Replace the reply's snapshot; beyond the cap the longest silent one is let go."""
        self._shown[shown.entry.id] = shown
        self._shown.move_to_end(shown.entry.id)
        if len(self._shown) > self._most:
            self._shown.popitem(last=False)

    def drop(self, turn_id: str) -> None:
        """The reply is final, or its conversation gone."""
        self._shown.pop(turn_id, None)

    def all(self) -> Sequence[EntryShown]:
        """Every growing reply."""
        return tuple(self._shown.values())

    def under(self, place: Place) -> Sequence[EntryShown]:
        """The growing replies of a topic, or of a whole chat with its topics."""
        same = (shown for shown in self._shown.values() if shown.place.chat == place.chat)
        return [shown for shown in same if place.topic in (None, shown.place.topic)]


@dataclass(frozen=True, slots=True)
class Desk:
    """The durable parts over one set of documents, and the live ones beside them."""

    transcript: Transcript
    chats: Chats
    shelf: Shelf
    feed: Feed = field(default_factory=Feed)
    growing: Growing = field(default_factory=Growing)

    @classmethod
    def over(cls, documents: Documents, folder: Path, clock: Callable[[], float]) -> Desk:
        """A desk whose files are under `folder`; `clock` gives Unix seconds."""
        return cls(Transcript(documents, clock), Chats(documents, clock), Shelf(documents, folder, clock))

    def announce(self, chat_id: str, chat: Chat | None) -> None:
        """Tell every page about a conversation as it is now, or that it is gone."""
        self.feed.publish(ChatChanged(chat_id, chat))

    def show(self, shown: EntryShown) -> None:
        """Tell every page about an entry, and later ones too while it grows."""
        if shown.entry.final:
            self.growing.drop(shown.entry.id)
        else:
            self.growing.put(shown)
        self.feed.publish(shown)

    async def is_gone(self, place: Place) -> bool:
        """Whether a person deleted the conversation, or this topic of it."""
        chat = await self.chats.get(place.chat)
        return chat is None or (place.topic is not None and chat.topic(place.topic) is None)

    async def delete(self, place: Place) -> None:
        """Forget a conversation, or one topic of it, with every entry and file. Raises StoreUnavailable.

        Repeating it after a crash finishes the work: what lists the conversation goes last.
        """
        prefix = f"web/log/{place.chat}/" if place.topic is None else place.prefix
        for entry in await self.transcript.erase(prefix):
            for file in entry.files:
                await self.shelf.drop(file.id)
        for shown in self.growing.under(place):
            self.growing.drop(shown.entry.id)
        if place.topic is None:
            await self.chats.drop(place.chat)
            self.announce(place.chat, None)
        else:
            self.announce(place.chat, await self.chats.drop_topic(place))
