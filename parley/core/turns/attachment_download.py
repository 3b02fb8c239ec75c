"""Attachments of a turn, from their platform to our disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parley.core.model.attachments import Attachment, StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelError
from parley.core.ports.channel import Channel
from parley.core.texts import Sentence, say

log = logging.getLogger(__name__)

_TRIES = 3


@dataclass(frozen=True, slots=True)
class SkippedAttachment:
    """A file that the turn goes on without: why, in English for the agent, and as its sender is told."""

    name: str
    reason: str
    told: str


async def download_attachments(
    channel: Channel, attachments: Sequence[Attachment], folder: Path, limit: int, language: str
) -> tuple[tuple[StoredFile, ...], tuple[SkippedAttachment, ...]]:
    """Fetch all attachments into `folder`; what cannot be had is named, and never stops the turn.

    `language` is that of whoever sent them.
    """
    if not attachments:
        return (), ()
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    results = await asyncio.gather(
        *(
            _fetch(channel, entry, folder / str(place), limit, language)
            for place, entry in enumerate(attachments)
        )
    )
    stored = tuple(result for result in results if isinstance(result, StoredFile))
    left_out = tuple(result for result in results if isinstance(result, SkippedAttachment))
    return stored, left_out


async def _fetch(
    channel: Channel, attachment: Attachment, into: Path, limit: int, language: str
) -> StoredFile | SkippedAttachment:
    for attempt in range(_TRIES):
        try:
            size = await channel.fetch(attachment, into, limit)
        except AttachmentRefused as error:
            return SkippedAttachment(attachment.name, error.user_text, error.explain(language))
        except ChannelError as error:
            log.warning("attachment %s: try %d of %d: %s", attachment.name, attempt + 1, _TRIES, error)
            reason = error.user_text
            await asyncio.sleep(attempt)
        else:
            return StoredFile(attachment.kind, attachment.name, attachment.mime, size, str(into))
    return SkippedAttachment(attachment.name, reason, say(language, Sentence.FILE_NOT_FETCHED))
