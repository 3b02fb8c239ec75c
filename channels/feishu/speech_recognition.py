"""Feishu's own speech recognition: voice messages as words, a minute at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.feishu.scopes import SPEECH, missing_scopes
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import ChannelError, ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.usage import TokenUsage
from parley.core.ports.speech import (
    SAMPLE_BYTES,
    SAMPLE_RATE,
    TOKENS_PER_SECOND,
    HeardSpeech,
    SpeechDecoder,
)

log = logging.getLogger(__name__)

MODEL = "feishu-speech"
"""As what it counts in limits."""
MOST_SECONDS = 60
_FIRST_CUT = 50
"""From this second on a part may end, where it is quietest."""
_WINDOW = SAMPLE_RATE // 10
_SILENCE = bytes(SAMPLE_RATE * SAMPLE_BYTES // 2)
_PAUSE = 1.0
_LONGEST_PAUSE = 10.0


class FeishuSpeech:
    """Asks Feishu what is said in voice messages."""

    def __init__(self, api: FeishuApi, decoder: SpeechDecoder) -> None:
        self._api, self._decoder = api, decoder

    async def recognize(self, file: StoredFile) -> HeardSpeech:
        """Return the words of a file. Raises SpeechTooLong, SpeechFailed, ChannelError."""
        samples = await self._decoder.decode(file)
        words = [await self._ask(part) for part in parts_of(samples)]
        seconds = -(-len(samples) // (SAMPLE_RATE * SAMPLE_BYTES))
        text = " ".join(each for each in words if each)
        return HeardSpeech(text, TokenUsage(MODEL, seconds * TOKENS_PER_SECOND, 0))

    async def refusal(self) -> str:
        """Return why Feishu recognises no speech for this app, "" where it does. Half a second is tried.

        Raises ChannelError for what may be over soon.
        """
        try:
            await self._api.recognize(_SILENCE)
        except ScopeMissing:
            return missing_scopes(SPEECH, frozenset())[0]
        except DeliveryRejected as error:
            return (
                f"speech recognition: {error.user_text} (free editions of Feishu have none: "
                "set transcription.by_platform to false there)"
            )
        return ""

    async def _ask(self, samples: bytes) -> str:
        """Return the words of a part; what may go well the next time is tried once more."""
        try:
            return await self._api.recognize(samples)
        except (RateLimited, ChannelUnavailable) as error:
            await asyncio.sleep(_pause(error))
        return await self._api.recognize(samples)


def parts_of(samples: bytes) -> Iterator[bytes]:
    """Yield parts of a minute at most, each but the last cut where its last ten seconds are quietest."""
    most, start = MOST_SECONDS * SAMPLE_RATE, 0
    sound = memoryview(samples).cast("h")
    while len(sound) - start > most:
        windows = range(start + _FIRST_CUT * SAMPLE_RATE, start + most - _WINDOW + 1, _WINDOW)
        quietest = min(windows, key=lambda at: sum(map(abs, sound[at : at + _WINDOW])))
        end = quietest + _WINDOW // 2
        yield bytes(sound[start:end])
        start = end
    yield bytes(sound[start:])


def _pause(error: ChannelError) -> float:
    return min(error.retry_after, _LONGEST_PAUSE) if isinstance(error, RateLimited) else _PAUSE
