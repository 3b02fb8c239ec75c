"""Who turns a voice message into words: its platform where that is wanted, then the service."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from parley.core.model.attachments import StoredFile
from parley.core.model.errors import ChannelError, SpeechFailed
from parley.core.ports.channel import Channel
from parley.core.ports.speech import HeardSpeech, SpeechRecognition, SpeechService

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Transcriber:
    """Hears the voice messages of one channel."""

    channel: Channel
    service: SpeechService

    @property
    def hears(self) -> bool:
        """Return whether anybody hears them."""
        return self.service.hears or self._platform is not None

    async def transcribe(self, file: StoredFile) -> HeardSpeech:
        """Return what is said in a file; what the platform does not hear is left to the service.

        Raises SpeechTooLong, SpeechFailed.
        """
        if (platform := self._platform) is None:
            return await self.service.transcribe(file)
        try:
            return await platform.recognize(file)
        except (ChannelError, SpeechFailed) as error:
            if not self.service.hears:
                raise _as_speech_failed(error) from error
            log.warning("%s: a voice message is left to transcription.url: %s", self.channel.name, error)
        return await self.service.transcribe(file)

    @property
    def _platform(self) -> SpeechRecognition | None:
        channel = self.channel
        return channel if isinstance(channel, SpeechRecognition) and channel.recognizes else None


def _as_speech_failed(error: ChannelError | SpeechFailed) -> SpeechFailed:
    return error if isinstance(error, SpeechFailed) else SpeechFailed(error.user_text)
