"""What the simulated Feishu keeps. Mutable, and touched only under the world's lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from parley.simulator.kit.json_values import Json, JsonObject

ChatKind: TypeAlias = Literal["p2p", "group", "topic_group"]
FileKind: TypeAlias = Literal["file", "image", "audio", "media", "sticker"]


@dataclass
class FeishuAccount:
    """A person, or a bot, which as a sender is its app."""

    open_id: str
    name: str
    tenant: str
    is_bot: bool = False
    app_id: str = ""


@dataclass
class FeishuChat:
    """A place with messages. The bot hears all of a group only where it was given that permission."""

    id: str
    kind: ChatKind
    title: str
    members: set[str]
    hears_all: bool = True
    bot_is_gone: bool = False


@dataclass
class FeishuCard:
    """A card entity. `sequence` is the last one taken; it is shown once a message has it."""

    id: str
    body: JsonObject
    streaming: bool
    streaming_since: float
    sequence: int = 0
    message: str = ""
    made: float = 0.0
    redrawn: int = 0
    """How often an element's new text did not go on from its old one, so that all of it appeared at once."""


@dataclass
class FeishuReaction:
    """A reaction to a message."""

    id: str
    by: str
    emoji: str
    at: float


@dataclass
class FeishuMessage:
    """A message as it is now. `content` is what the API's `content` string holds."""

    id: str
    chat: str
    sender: str
    kind: str
    content: JsonObject
    at: float
    root: str = ""
    parent: str = ""
    thread: str = ""
    card: str = ""
    mentions: list[Json] = field(default_factory=list)
    edits: list[float] = field(default_factory=list)
    recalled: bool = False
    pressed: int = 0
    """How many presses of its buttons wait for the app's answer."""
    before_press: JsonObject | None = None
    """Its card when it was pressed, where the app has changed that since."""
    forwarded: list[str] = field(default_factory=list)
    """The messages in a forwarded conversation."""
    reactions: list[FeishuReaction] = field(default_factory=list)


@dataclass
class FeishuRegistration:
    """An app that is being made by scanning a code: `scanned` by whom ("" for nobody yet), with what."""

    code: str
    begun: float
    scanned: str = ""
    declined: bool = False
    moved: bool = False
    addons: JsonObject = field(default_factory=dict)


@dataclass
class Blob:
    """A stored file, and the message that has it ("" while it is only uploaded). `duration` is in ms."""

    key: str
    kind: FileKind
    name: str
    content: bytes
    message: str = ""
    duration: int = 0


@dataclass
class FeishuToast:
    """What somebody who pressed a button in a chat is told: a text, or that it failed."""

    chat: str
    by: str
    message: str
    text: str = ""
    answered: bool = False
    failed: bool = False


@dataclass
class FeishuEvent:
    """An event for the app. `due` is when it is pushed (next), `pushed` when it last was.

    With `told` it is the press of a button, which is never sent again.
    """

    number: int
    id: str
    body: bytes
    due: float
    attempts: int = 0
    pushed: float = 0.0
    holder: int = 0
    told: FeishuToast | None = None


@dataclass(frozen=True)
class FeishuUpload:
    """A file on its way to the platform."""

    name: str
    content: bytes
    kind: FileKind = "file"


@dataclass(frozen=True)
class SeenFeishuMessage:
    """A message as somebody in the chat sees it now: marks rendered away, `code` the text set as code."""

    id: str
    sender: str
    from_bot: bool
    kind: str
    text: str
    code: tuple[str, ...]
    parent: str
    thread: str
    file: str
    buttons: tuple[str, ...]
    streaming: bool
    edited: bool
    at: float
    reactions: tuple[str, ...] = ()
    duration: int = 0
    """Milliseconds, of what can be played."""


@dataclass(frozen=True)
class FeishuCall:
    """A call of the app: name, chat where it shows ("" for none), Unix time, the answer's code, and query."""

    name: str
    chat: str
    at: float
    code: int
    query: Mapping[str, str] = field(default_factory=dict)
