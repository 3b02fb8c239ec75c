"""The files of an answer, each of which is sent once, or named with the reason why it is not."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from parley.channels.kit.files import human_size, unsent_file_text
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.errors import PlaceClosed
from parley.channels.telegram.formatting import FormattedMessage
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
        self._place = replace(place, reply_to=None)
        self._language = language
        self._progress = progress

    async def send(self, files: Sequence[StoredFile]) -> None:
        """Send those that are not there yet: what goes together as an album. Raises ChannelError."""
        while left := files[len(self._progress.state.files) :]:
            album = self._api.files.album(left)
            if len(album) == 1 or not await self._send_album(album):
                for file in album:
                    await self._send_one(file)

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
            return await self._api.files.send(self._place, file)
        except (AttachmentRefused, DeliveryRejected) as error:
            log.warning("telegram: a file of %s was not sent: %s", human_size(file.size), error)
            return await self._api.send(
                self._place, FormattedMessage(unsent_file_text(file, error, self._language))
            )
