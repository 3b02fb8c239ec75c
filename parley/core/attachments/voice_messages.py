"""The voice messages of a turn: heard before its run, shown back, and answered by voice where that is on."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from parley.core.attachments.download import TurnFiles
from parley.core.attachments.spoken_words import has_voice, heard_line, is_only_voice
from parley.core.attachments.transcriber import Transcriber
from parley.core.attachments.transcription import note_transcripts, voice_troubles
from parley.core.inbound.batching import QueuedMessage
from parley.core.model.attachments import StoredFile, VoiceTrouble
from parley.core.model.errors import SpeechFailed
from parley.core.model.types import Outcome, RunEnded
from parley.core.services import CoreServices
from parley.core.state.turn_record import TurnCheckpoint
from parley.core.suggestions.quote import quote_pressed
from parley.core.texts import Sentence, say

log = logging.getLogger(__name__)

_TROUBLES = {
    VoiceTrouble.OFF: Sentence.VOICE_OFF,
    VoiceTrouble.LONG: Sentence.VOICE_LONG,
    VoiceTrouble.EMPTY: Sentence.VOICE_EMPTY,
    VoiceTrouble.FAILED: Sentence.VOICE_FAILED,
}


class VoiceMessages:
    """What a turn does with speech. `line` shows people what was heard, or pressed: what their chat does not
    show. `unheard` tells what to do where there are no words, `all_unheard` says that there is nothing else.
    """

    def __init__(
        self,
        services: CoreServices,
        checkpoint: TurnCheckpoint,
        turn_id: str,
        files: TurnFiles,
        language: str,
    ) -> None:
        self._services = services
        self._transcriber = Transcriber(files.channel, services.speech)
        self._checkpoint = checkpoint
        self._turn = turn_id
        self._files = files
        self._language = language
        self._spoken = False
        self.line = ""
        self.unheard: tuple[str, ...] = ()
        self.all_unheard = ""

    async def hear(self, burst: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
        """Return the burst with the words of its voice messages. Raises LaneLost, StoreUnavailable."""
        self._spoken, self.line = has_voice(burst), quote_pressed(burst)
        if not self._spoken:
            return tuple(burst)
        heard = await note_transcripts(self._transcriber, self._checkpoint, self._turn, burst, self._files)
        self.line = heard_line(self._language, heard)
        troubles = voice_troubles(self._transcriber, self._checkpoint, heard)
        self.unheard = tuple(say(self._language, _TROUBLES[trouble]) for trouble in troubles)
        self.all_unheard = "\n\n".join(self.unheard) if is_only_voice(heard) else ""
        return heard

    def shown(self, text: str) -> str:
        """Return a reply so far, under what was heard."""
        return "\n\n".join(part for part in (self.line, text) if part)

    async def answered(self, ended: RunEnded) -> tuple[StoredFile, ...]:
        """Return the files of an answer, with its words spoken where somebody spoke to us."""
        speech = self._services.speech
        if not (self._spoken and speech.speaks and ended.outcome is Outcome.ANSWERED and ended.text.strip()):
            return ended.files
        try:
            spoken = await speech.speak(ended.text, self._services.files / self._turn)
        except SpeechFailed as error:
            log.warning("turn %s: the answer is not spoken: %s", self._turn, error)
            return ended.files
        return (*ended.files, spoken)
