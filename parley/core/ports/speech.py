"""The port to what turns speech into text, and text into speech."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from parley.core.model.attachments import StoredFile
from parley.core.model.errors import SpeechFailed
from parley.core.model.usage import TokenUsage


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


class NoSpeech:
    """For an installation without such a service."""

    hears = False
    speaks = False

    async def transcribe(self, file: StoredFile) -> HeardSpeech:
        """Raise SpeechFailed."""
        raise SpeechFailed("nothing here turns speech into text")

    async def speak(self, text: str, folder: Path) -> StoredFile:
        """Raise SpeechFailed."""
        raise SpeechFailed("nothing here turns text into speech")


NO_SPEECH = NoSpeech()
