"""Where people talk, and who they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where one line of talk happens: a chat on a channel, or a topic within it."""

    channel: str
    chat: str
    topic: str | None = None

    @property
    def key(self) -> str:
        """`channel:chat[:topic]`, with `%` and `:` inside parts percent-escaped."""
        return _key(self.channel, self.chat, self.topic)

    @classmethod
    def parse(cls, key: str) -> Conversation:
        """Return the inverse of `key`. Raises ValueError where there are not two or three parts."""
        parts = [unquote(part) for part in key.split(":")]
        if len(parts) not in (2, 3):
            raise ValueError(f"not a conversation key: {key!r}")
        return cls(*parts)


@lru_cache(maxsize=4096)
def _key(*parts: str | None) -> str:
    # Asked for a dozen times in a turn.
    return ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class User:
    """An account on one channel. `language` is the platform's tag for it (BCP 47), `zone` its name of their
    time zone (IANA); empty where it tells none. `bot` is set where no person speaks: the id of the app, or
    another that a list of bots may have, else the bot's own.
    """

    channel: str
    id: str
    name: str = ""
    workspace: str = ""
    language: str = ""
    zone: str = ""
    bot: str = ""


def account_key(user: User) -> str:
    """Return an account's name among all: `channel:id`, escaped as in a conversation's key."""
    return _key(user.channel, user.id)


IDENTITY_VERSION = 1
"""Of the object below: it grows by new keys; a key that changes its meaning raises this number."""

SHARED_PREFIX = "chat/"
"""What the person's id begins with where a turn has the words of several: the chat stands for them."""


_NOT_PLAIN = re.compile(r"[^A-Za-z0-9-]")


def _as_hexadecimal(found: re.Match[str]) -> str:
    return "".join(f"_{byte:02x}" for byte in found[0].encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class ViewedItem:
    """What somebody looks at beside their chat with us: a `channel`, `message`, `canvas` or `list`.

    `id` is the platform's, a message's as in `InboundMessage.id`; `link` is its address, "" where unknown.
    """

    kind: str
    id: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The person (our id, the same from each of their accounts), the account they spoke from, and the place.

    `chat_kind` is direct, group or channel; empty texts are what the platform does not tell. `viewing` is
    what the person looks at beside the chat, the most relevant first.
    """

    person: str
    account: str
    platform: str
    channel: str
    chat: str
    message_id: str
    name: str = ""
    admin: bool = False
    chat_kind: str = "direct"
    topic: str = ""
    private: bool = True
    message_link: str = ""
    language: str = ""
    viewing: tuple[ViewedItem, ...] = ()

    @property
    def user_id(self) -> str:
        """The person in letters, digits, "-" and "_", of which servers make labels and folders.

        Any other sign, and "_", is written as "_" and two hexadecimal digits for each of its bytes.
        """
        return _NOT_PLAIN.sub(_as_hexadecimal, self.person)

    def describe(self) -> dict[str, Any]:
        """Return the object `parley` of a run."""
        return {
            "version": IDENTITY_VERSION,
            "person": self.person,
            "account": self.account,
            "name": self.name,
            "roles": ["admin"] if self.admin else [],
            "platform": self.platform,
            "channel": self.channel,
            "chat": self.chat,
            "chat_kind": self.chat_kind,
            "topic": self.topic,
            "private": self.private,
            "message_id": self.message_id,
            "message_link": self.message_link,
            "language": self.language,
            "viewing": [{"type": each.kind, "id": each.id, "link": each.link} for each in self.viewing],
        }


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
