"""Where people talk, and who they are."""

from __future__ import annotations

from dataclasses import dataclass
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
        parts = (self.channel, self.chat) if self.topic is None else (self.channel, self.chat, self.topic)
        return ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts)

    @classmethod
    def parse(cls, key: str) -> Conversation:
        """The inverse of `key`. Raises ValueError where there are not two or three parts."""
        parts = [unquote(part) for part in key.split(":")]
        if len(parts) not in (2, 3):
            raise ValueError(f"not a conversation key: {key!r}")
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class User:
    """An account on one channel. `language` is the platform's tag for it (BCP 47), or empty."""

    channel: str
    id: str
    name: str = ""
    workspace: str = ""
    language: str = ""
