"""Voice messages of a turn become words, noted with the turn so that a crash does not pay for them twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from parley.core.attachments.download import TurnFiles
from parley.core.attachments.spoken_words import with_transcripts
from parley.core.attachments.transcriber import Transcriber
from parley.core.inbound.batching import QueuedMessage, batch_items
from parley.core.model.attachments import Attachment, StoredFile, Transcript, VoiceTrouble
from parley.core.model.errors import SpeechFailed, SpeechTooLong
from parley.core.model.sanitize import sanitize_text
from parley.core.state.turn_record import TurnCheckpoint

log = logging.getLogger(__name__)


async def note_transcripts(
    transcriber: Transcriber,
    checkpoint: TurnCheckpoint,
    turn_id: str,
    burst: Sequence[QueuedMessage],
    files: TurnFiles,
) -> tuple[QueuedMessage, ...]:
    """Return the burst with the words of its voice messages: the platform's own, or what is heard for us.

    Raises LaneLost, StoreUnavailable.
    """
    attachments = [file for each in burst for file in each.message.attachments]
    noted = {each.place for each in checkpoint.record.transcripts}
    missing = [place for place in _unheard(attachments) if place not in noted]
    # A run that was made already has what its process heard.
    if missing and transcriber.hears and checkpoint.record.run is None:
        fetched = await files.fetch(attachments, missing)
        heard = await asyncio.gather(
            *(
                _transcribe(transcriber, turn_id, place, file)
                for place, file in zip(missing, fetched, strict=True)
                if isinstance(file, StoredFile)
            )
        )
        if heard:
            items = tuple(item.id for item in batch_items(burst))
            known = checkpoint.record.transcripts
            await checkpoint.write(items=items, transcripts=(*known, *heard))
    return with_transcripts(burst, checkpoint.record.transcripts)


def voice_troubles(
    transcriber: Transcriber, checkpoint: TurnCheckpoint, burst: Sequence[QueuedMessage]
) -> tuple[VoiceTrouble, ...]:
    """Return why voice messages of a turn have no words, each reason once."""
    attachments = [file for each in burst for file in each.message.attachments]
    if not _unheard(attachments):
        return ()
    noted = [each.trouble for each in checkpoint.record.transcripts if each.trouble]
    # What could not be fetched is told as a file.
    return tuple(dict.fromkeys(noted)) if transcriber.hears else (VoiceTrouble.OFF,)


def _unheard(attachments: Sequence[Attachment]) -> list[int]:
    return [place for place, file in enumerate(attachments) if file.voice and not file.transcript.strip()]


async def _transcribe(transcriber: Transcriber, turn_id: str, place: int, file: StoredFile) -> Transcript:
    try:
        heard = await transcriber.transcribe(file)
    except SpeechTooLong as error:
        log.info("turn %s: a voice message is not transcribed: %s", turn_id, error)
        return Transcript(place, trouble=VoiceTrouble.LONG)
    except SpeechFailed as error:
        log.warning("turn %s: a voice message is not transcribed: %s", turn_id, error)
        return Transcript(place, trouble=VoiceTrouble.FAILED)
    text = sanitize_text(heard.text).strip()
    found = Transcript(place, text, usage=heard.usage)
    return found if text else replace(found, trouble=VoiceTrouble.EMPTY)
