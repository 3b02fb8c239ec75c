"""Voice messages as samples, for platforms that hear nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from parley.agent.files.reader import FileReader, UnreadableFile
from parley.core.model.attachments import StoredFile, UnreadReason
from parley.core.model.errors import SpeechFailed, SpeechTooLong
from parley.core.ports.speech import SAMPLE_BYTES, SAMPLE_RATE

LONGEST = 600.0
"""Seconds that are decoded where the settings have no limit: all of them are in memory at once."""
_REASONS = {
    UnreadReason.BROKEN: "it is damaged",
    UnreadReason.EMPTY: "there is nothing in it",
    UnreadReason.SLOW: "decoding took too long",
    UnreadReason.TOO_LARGE: "decoding took too much memory",
}


@dataclass(frozen=True, slots=True)
class VoiceDecoder:
    """Decodes Ogg Opus in a program of its own; files have at most `max_size` bytes and `max_seconds`."""

    reader: FileReader
    max_size: int
    max_seconds: float
    wanted: bool = True

    async def decode(self, file: StoredFile) -> bytes:
        """Return a file's samples. Raises SpeechTooLong, SpeechFailed."""
        if file.size > self.max_size:
            raise SpeechTooLong(f"{file.size:,} bytes, and transcription.max_size is {self.max_size:,}")
        seconds = min(self.max_seconds or LONGEST, LONGEST)
        most = int(seconds * SAMPLE_RATE)
        try:
            samples = await self.reader.samples(file, most)
        except UnreadableFile as error:
            reason = _REASONS.get(error.trouble, "it is not Ogg Opus")
            raise SpeechFailed(f"the voice message cannot be decoded: {reason}") from error
        if len(samples) > most * SAMPLE_BYTES:
            raise SpeechTooLong(f"more than {seconds:.0f} s, and transcription.max_seconds allows no more")
        return samples
