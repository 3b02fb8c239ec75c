"""The ports to what turns speech into text, and text into speech."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from parley.core.model.attachments import StoredFile
from parley.core.model.errors import SpeechFailed
from parley.core.model.usage import TokenUsage

TOKENS_PER_SECOND = 10
"""What a second of speech counts where nobody tells tokens."""
SAMPLE_RATE, SAMPLE_BYTES = 16_000, 2
"""Decoded speech has one channel, and so many samples in a second: whole numbers, the lowest byte first."""


@dataclass(frozen=True, slots=True)
class HeardSpeech:
    """The words of a voice message, which may be none, and what hearing them took."""

    text: str
    usage: TokenUsage | None = None


class SpeechService(Protocol):
    """A service for speech. `hears` and `speaks` say what it is there for."""

    @property
    def hears(self) -> bool: ...

    @property
    def speaks(self) -> bool: ...

    async def transcribe(self, file: StoredFile) -> HeardSpeech:
        """Return what is said in a file. Raises SpeechTooLong, SpeechFailed."""
        ...

    async def speak(self, text: str, folder: Path) -> StoredFile:
        """Return a text as a voice message in `folder`. Raises SpeechTooLong, SpeechFailed."""
        ...


@runtime_checkable
class SpeechRecognition(Protocol):
    """A channel whose platform turns speech into words when it is asked to.

    `recognizes` says whether the settings want that.
    """

    @property
    def recognizes(self) -> bool: ...

    async def recognize(self, file: StoredFile) -> HeardSpeech:
        """Return what is said in a file. Raises SpeechTooLong, SpeechFailed, ChannelError."""
        ...


class SpeechDecoder(Protocol):
    """Decodes voice messages for platforms that hear samples only; `wanted` says whether they are asked."""

    @property
    def wanted(self) -> bool: ...

    async def decode(self, file: StoredFile) -> bytes:
        """Return a file's samples. Raises SpeechTooLong, SpeechFailed."""
        ...


class NoSpeech:
    """For an installation without such a service."""

    hears = False
    speaks = False
    wanted = False

    async def transcribe(self, file: StoredFile) -> HeardSpeech:
        """Raise SpeechFailed."""
        raise SpeechFailed("nothing here turns speech into text")

    async def speak(self, text: str, folder: Path) -> StoredFile:
        """Raise SpeechFailed."""
        raise SpeechFailed("nothing here turns text into speech")

    async def decode(self, file: StoredFile) -> bytes:
        """Raise SpeechFailed."""
        raise SpeechFailed("nothing here decodes speech")


NO_SPEECH = NoSpeech()
