"""Files on their way between people and the agent; sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parley.core.model.usage import TokenUsage


class AttachmentKind(StrEnum):
    """What a person would call the file."""

    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file still on its platform: `size` as declared (0 if not), bytes through `Channel.fetch` only.

    `voice` says that somebody spoke it instead of writing; `transcript` is what was said, where the platform
    itself tells.
    """

    kind: AttachmentKind
    name: str
    mime: str
    size: int
    handle: str
    voice: bool = False
    transcript: str = ""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file on our disk, on its way to the agent or to a platform; with `voice` it is speech of ours."""

    kind: AttachmentKind
    name: str
    mime: str
    size: int
    path: str
    voice: bool = False


class UnreadReason(StrEnum):
    """Why the agent does not read a file, or not all of it."""

    UNKNOWN = "unknown"
    """It is of a kind that has no text and is no picture."""
    TOO_LARGE = "too_large"
    BROKEN = "broken"
    LOCKED = "locked"
    """It is protected by a password."""
    EMPTY = "empty"
    """It has no text, as a scan has none."""
    SLOW = "slow"
    NO_IMAGES = "no_images"
    """The agent's model takes no pictures."""
    CUT = "cut"
    """The agent reads its beginning only."""


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that the agent does not read as it is."""

    name: str
    trouble: UnreadReason


class UnsentReason(StrEnum):
    """Why a file of the agent does not come with its answer."""

    TOO_LARGE = "too_large"
    NOT_FETCHED = "not_fetched"
    """It is on another server, which did not give it."""
    BROKEN = "broken"
    TOO_MANY = "too_many"
    """There are more files than one answer takes."""


@dataclass(frozen=True, slots=True)
class UnsentFile:
    """A file that the agent made or named, and that is not sent."""

    name: str
    reason: UnsentReason


class VoiceTrouble(StrEnum):
    """Why there are no words of a voice message."""

    OFF = "off"
    """Nothing here turns speech into text."""
    LONG = "long"
    """It is larger, or longer, than is allowed."""
    EMPTY = "empty"
    """No words were heard in it."""
    FAILED = "failed"
    """The service did not do it."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The words of the file at a `place` among those of a turn, or why there are none.

    `usage` is what the service took for it.
    """

    place: int
    text: str = ""
    trouble: VoiceTrouble | None = None
    usage: TokenUsage | None = None
