"""Patterns of chats and topics, as `channels.X.chats` has them (docs/routing.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from parley.core.model.address import Conversation

_WILD = frozenset("*?[")

Specificity: TypeAlias = "tuple[bool, int, int, int]"


@dataclass(frozen=True, slots=True)
class ChatPattern:
    """`CHAT` for a chat with all its topics, or `CHAT:TOPIC`; each part may have the wildcards * ? [abc].

    A chat whose id is the very text is always meant, so that an id may have a colon in it.
    """

    text: str

    def fits(self, place: Conversation) -> bool:
        """Return whether a conversation is meant."""
        if self.text == place.chat:
            return True
        chat, topic = self._parts()
        if not fnmatchcase(place.chat, chat):
            return False
        return topic is None or (place.topic is not None and fnmatchcase(place.topic, topic))

    def specificity(self, place: Conversation) -> Specificity:
        """Return how narrow it is: the chat written out or not, its letters, and the same of the topic."""
        if self.text == place.chat:
            return (True, len(self.text), 0, 0)
        chat, topic = self._parts()
        rank = 0 if topic is None else 1 + (topic == place.topic)
        return (chat == place.chat, _letters(chat), rank, _letters(topic or ""))

    def _parts(self) -> tuple[str, str | None]:
        chat, colon, topic = self.text.rpartition(":")
        return (chat, topic) if colon else (self.text, None)


def _letters(part: str) -> int:
    return sum(letter not in _WILD for letter in part)
