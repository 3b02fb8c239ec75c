"""What the simulated Telegram keeps. Mutable, and touched only under the world's lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.upload import Upload

ChatKind: TypeAlias = Literal["private", "group", "supergroup"]
MediaKind: TypeAlias = Literal[
    "photo", "document", "audio", "voice", "video", "video_note", "animation", "sticker"
]

DRAFT_LIFE = 30.0
"""Seconds for which a draft is shown."""


@dataclass
class TelegramAccount:
    """A person, or the bot."""

    id: int
    name: str
    username: str = ""
    language: str = "en"
    is_bot: bool = False
    blocked_bot: bool = False


@dataclass
class TelegramMedia:
    """A file on the platform."""

    kind: MediaKind
    file_id: str
    name: str
    mime: str
    size: int


@dataclass
class TelegramDraft:
    """A reply that is still being written, as its reader sees it."""

    id: int
    text: str
    entities: list[Json]
    topic: int | None
    at: float
    can_stop: bool = False


@dataclass
class TelegramChat:
    """A place with messages. `boxed` ones share one numbering of messages, as on the platform."""

    id: int
    kind: ChatKind
    title: str = ""
    forum: bool = False
    members: set[int] = field(default_factory=set)
    topics: dict[int, str] = field(default_factory=dict)
    bot_is_admin: bool = False
    bot_is_gone: bool = False
    moved_to: int = 0
    drafts: dict[int, TelegramDraft] = field(default_factory=dict)
    actions: list[tuple[float, str]] = field(default_factory=list)


@dataclass
class TelegramMessage:
    """A message as it is now. `rich` is the markdown of a rich message, which has no text.

    `thread` is the first message of the replies that it belongs to, in a supergroup without topics.
    """

    id: int
    chat: int
    sender: int
    at: float
    text: str = ""
    entities: list[Json] = field(default_factory=list)
    media: TelegramMedia | None = None
    album: str = ""
    reply_to: int | None = None
    quote: str = ""
    topic: int | None = None
    thread: int | None = None
    markup: Json = None
    edited_at: float | None = None
    reactions: list[str] = field(default_factory=list)
    service: JsonObject = field(default_factory=dict)
    rich: str = ""


@dataclass
class PendingCallbackQuery:
    """A pressed button, and what the bot answered to who pressed it."""

    by: int
    chat: int
    at: float
    answered: bool = False
    text: str = ""
    alert: bool = False


@dataclass
class PendingGuestQuery:
    """A call of the bot in a chat that it is no member of, and the message that answers it (0 for none)."""

    chat: int
    at: float
    message: int = 0


@dataclass(frozen=True)
class SeenTelegramMessage:
    """A message as somebody in the chat sees it now. `buttons` are the labels, row by row.

    The text of a `rich` message is its markdown.
    """

    id: int
    sender: str
    from_bot: bool
    text: str
    entities: Sequence[Json]
    reply_to: int | None
    topic: int | None
    file: str
    file_kind: str
    file_size: int
    album: str
    buttons: tuple[tuple[str, ...], ...]
    edited: bool
    reactions: tuple[str, ...]
    at: float
    rich: bool = False


@dataclass(frozen=True)
class SeenDraft:
    """A draft that its reader sees now, with a stop button or without."""

    id: int
    text: str
    entities: Sequence[Json]
    topic: int | None
    can_stop: bool


@dataclass(frozen=True)
class TelegramUpload(Upload):
    """A file on its way to the platform."""

    kind: MediaKind = "document"


def utf16(text: str) -> int:
    """Length in UTF-16 code units, the platform's measure of text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
