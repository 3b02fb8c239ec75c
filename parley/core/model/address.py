"""Where people talk, and who they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
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
    time zone (IANA); empty where it tells none.
    """

    channel: str
    id: str
    name: str = ""
    workspace: str = ""
    language: str = ""
    zone: str = ""


def account_key(user: User) -> str:
    """Return an account's name among all: `channel:id`, escaped as in a conversation's key."""
    return Conversation(user.channel, user.id).key
