"""The files of an answer, each of which is sent once, or named with the reason why it is not."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from parley.channels.kit.files import human_size, unsent_file_text
from parley.channels.kit.text import utf16_length
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.errors import PlaceClosed
from parley.channels.telegram.formatting import MAX_CAPTION_UNITS, FormattedMessage
from parley.channels.telegram.outbound.reply_state import ReplyProgress
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AttachmentRefused, DeliveryRejected

log = logging.getLogger(__name__)


class FileMessages:
    """Sends an answer's files after its text; `language` is that of whoever reads the reasons."""

    def __init__(
        self, api: TelegramApi, place: TelegramDestination, language: str, progress: ReplyProgress
    ) -> None:
        self._api = api
        self._answering = place
        self._place = replace(place, reply_to=None)
        self._language = language
        self._progress = progress
        self._refused: AttachmentRefused | DeliveryRejected | None = None

    async def send(self, files: Sequence[StoredFile]) -> None:
        """Send those that are not there yet: what goes together as an album. Raises ChannelError."""
        while left := files[len(self._progress.state.files) :]:
            album = self._api.files.album(left)
            if len(album) == 1 or not await self._send_album(album):
                for file in album:
                    await self._send_one(file)

    async def send_captioned(self, files: Sequence[StoredFile], caption: FormattedMessage) -> bool:
        """Send an answer's only file with its words under it; tells whether they stand there.

        Not where it is more than one file, or speech, or too many words, or where Telegram refuses it.
        """
        if len(files) != 1 or files[0].voice or utf16_length(caption.text) > MAX_CAPTION_UNITS:
            return False
        if self._progress.state.files:
            # By an earlier process: otherwise the words would have gone first.
            return True
        try:
            await self._progress.send(
                lambda: self._api.files.send(self._answering, files[0], caption),
                lambda state, number: replace(state, files=(number,)),
            )
        except PlaceClosed:
            raise
        except (AttachmentRefused, DeliveryRejected) as error:
            log.info("telegram: a file with a caption was refused, the words go alone: %s", error)
            self._refused = error
            return False
        return True

    async def _send_album(self, album: Sequence[StoredFile]) -> bool:
        """Tell whether Telegram took it: one file that is refused is a reason to refuse all."""
        try:
            await self._progress.send(
                lambda: self._api.files.send_album(self._place, album),
                lambda state, numbers: replace(state, files=(*state.files, *numbers)),
            )
        except PlaceClosed:
            raise
        except (AttachmentRefused, DeliveryRejected) as error:
            log.info("telegram: an album was refused, its files go one by one: %s", error)
            return False
        return True

    async def _send_one(self, file: StoredFile) -> None:
        await self._progress.send(
            lambda: self._file_or_reason(file),
            lambda state, number: replace(state, files=(*state.files, number)),
        )

    async def _file_or_reason(self, file: StoredFile) -> int:
        try:
            if self._refused is not None:
                # The answer's only file, which was tried with its caption.
                raise self._refused
            return await self._api.files.send(self._place, file)
        except (AttachmentRefused, DeliveryRejected) as error:
            log.warning("telegram: a file of %s was not sent: %s", human_size(file.size), error)
            return await self._api.send(
                self._place, FormattedMessage(unsent_file_text(file, error, self._language))
            )
