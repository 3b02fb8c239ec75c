"""Attachments of a turn, from their platform to our disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

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


Fetched: TypeAlias = StoredFile | SkippedAttachment


class TurnFiles:
    """The files of a turn, each fetched once into `folder`; what cannot be had never stops the turn.

    They are of `channel`; `language` is that of whoever sent them.
    """

    def __init__(self, channel: Channel, folder: Path, limit: int, language: str) -> None:
        self.channel = channel
        self._folder = folder
        self._limit = limit
        self._language = language
        self._fetched: dict[int, Fetched] = {}

    async def fetch(self, attachments: Sequence[Attachment], places: Iterable[int]) -> Sequence[Fetched]:
        """Return what became of the files at these places, in order."""
        wanted = list(places)
        if missing := [place for place in wanted if place not in self._fetched]:
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            found = await asyncio.gather(*(self._fetch(attachments[place], place) for place in missing))
            self._fetched.update(zip(missing, found, strict=True))
        return [self._fetched[place] for place in wanted]

    async def fetch_all(
        self, attachments: Sequence[Attachment]
    ) -> tuple[tuple[StoredFile, ...], tuple[SkippedAttachment, ...]]:
        """Return all files but voice messages, which are words by then, and what could not be had."""
        places = (
            place
            for place, file in enumerate(attachments)
            if not file.voice or isinstance(self._fetched.get(place), SkippedAttachment)
        )
        results = await self.fetch(attachments, places)
        stored = tuple(result for result in results if isinstance(result, StoredFile))
        left_out = tuple(result for result in results if isinstance(result, SkippedAttachment))
        return stored, left_out

    async def _fetch(self, attachment: Attachment, place: int) -> Fetched:
        return await _fetch(self.channel, attachment, self._folder / str(place), self._limit, self._language)


async def _fetch(channel: Channel, attachment: Attachment, into: Path, limit: int, language: str) -> Fetched:
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
            return StoredFile(
                attachment.kind, attachment.name, attachment.mime, size, str(into), attachment.voice
            )
    return SkippedAttachment(attachment.name, reason, say(language, Sentence.FILE_NOT_FETCHED))
