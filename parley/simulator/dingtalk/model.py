"""What the simulated DingTalk keeps. Mutable, and touched only under the world's lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from parley.simulator.dingtalk.card_templates import DingTalkCardTemplate
from parley.simulator.kit.json_values import Json
from parley.simulator.kit.upload import Upload

FileKind: TypeAlias = Literal["picture", "file", "video", "audio"]


@dataclass
class DingTalkAccount:
    """A person. `staff_id` is empty for people of other organisations, who are in groups only."""

    staff_id: str
    sender_id: str
    name: str
    corp: str
    reachable: bool = True

    @property
    def id(self) -> str:
        """Return what they are known by: the staff id where there is one."""
        return self.staff_id or self.sender_id


@dataclass
class DingTalkGroup:
    """A group with the robot in it. An `overheard` one pushes messages that do not mention the robot, too:
    DingTalk does not do that today, but its messages have a flag for it."""

    id: str
    title: str
    members: set[str] = field(default_factory=set)
    overheard: bool = False
    robot_is_gone: bool = False


@dataclass
class DingTalkCard:
    """A card of a template: `text` is the value of its variable `key`, which is shown. `guids` are those of
    calls done.

    `private` holds what single people see in place of what all see, by person.
    """

    track: str
    template: DingTalkCardTemplate
    params: dict[str, str]
    key: str = ""
    space: str = ""
    text: str = ""
    finished: bool = False
    failed: bool = False
    guids: set[str] = field(default_factory=set)
    private: dict[str, dict[str, str]] = field(default_factory=dict)


class DingTalkUpload(Upload):
    """A file on its way to the platform."""


@dataclass
class DingTalkMessage:
    """A message in a private chat or group, as it is now."""

    id: str
    place: str
    sender: str
    from_robot: bool
    at: float
    kind: str
    text: str = ""
    title: str = ""
    file: DingTalkUpload | None = None
    card: DingTalkCard | None = None
    quotes: str = ""
    reactions: set[str] = field(default_factory=set)
    mentions: tuple[str, ...] = ()
    preview: str = ""


@dataclass(frozen=True)
class SeenDingTalkMessage:
    """A message as somebody in the chat sees it now.

    `text` is its markdown, `shown` what a client makes of that, `code` the code blocks and spans in it.
    `growing` is a card that is not finished, `buttons` are the labels of those on it. `preview` is what the
    list of chats says of a card, `mentions` who is called by it, `reactions` what the robot reacted with.
    """

    id: str
    sender: str
    from_robot: bool
    kind: str
    text: str
    shown: str
    code: tuple[str, ...]
    title: str
    file: str
    file_size: int
    growing: bool
    quotes: str
    at: float
    buttons: tuple[str, ...] = ()
    reactions: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    preview: str = ""


@dataclass(frozen=True)
class DingTalkCardPress:
    """A press of a button on a card."""

    place: str
    by: str
    track: str


@dataclass
class DingTalkRegistration:
    """An app that is being made by scanning a code: `scanned` by whom, or why it `failed` ("" for not yet).

    `ends` is a monotonic time.
    """

    code: str
    ends: float
    scanned: str = ""
    failed: str = ""


@dataclass
class DingTalkPush:
    """A frame for the robot: what became of it, and the acknowledgement's code and data (0 for none).

    `press` is what it tells of, where it does; `failed` that the person's client said it did not work.
    """

    frame: Mapping[str, Json]
    message: str
    press: DingTalkCardPress | None = None
    lost: bool = False
    again: bool = False
    failed: bool = False
    code: int = 0
    answer: str = ""
