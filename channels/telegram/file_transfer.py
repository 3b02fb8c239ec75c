"""Files from and to chats: each as what an app can show or play, several at once as an album."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from telegram import (
    Bot,
    InputFile,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
)

from parley.channels.kit.files import copy_file, file_gone, file_too_large, file_withheld, safe_name
from parley.channels.kit.http.download import download
from parley.channels.kit.http.pool import HttpPool
from parley.channels.telegram.config import Config
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.errors import map_sdk_errors
from parley.channels.telegram.formatting import FormattedMessage
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import DeliveryRejected

T = TypeVar("T")

MOST_IN_ALBUM = 10


class UploadKind(StrEnum):
    """What Telegram takes a file as."""

    PHOTO = "photo"
    VIDEO = "video"
    ANIMATION = "animation"
    AUDIO = "audio"
    VOICE = "voice"
    DOCUMENT = "document"


_PLAYED: Mapping[str, UploadKind] = {
    "image/jpeg": UploadKind.PHOTO,
    "image/png": UploadKind.PHOTO,
    "image/webp": UploadKind.PHOTO,
    "image/gif": UploadKind.ANIMATION,
    "video/mp4": UploadKind.VIDEO,
    "audio/mpeg": UploadKind.AUDIO,
    "audio/mp4": UploadKind.AUDIO,
    "audio/mp3": UploadKind.AUDIO,
    "audio/x-m4a": UploadKind.AUDIO,
    "audio/m4a": UploadKind.AUDIO,
    "audio/ogg": UploadKind.VOICE,
}
_SPOKEN = frozenset({"audio/ogg", "audio/mpeg", "audio/mp3", "audio/mp4", "audio/x-m4a", "audio/m4a"})
# Photos and videos go together; audio files and documents each with their own kind; others alone.
_ALBUMS: Mapping[UploadKind, str] = {
    UploadKind.PHOTO: "seen",
    UploadKind.VIDEO: "seen",
    UploadKind.AUDIO: "heard",
    UploadKind.DOCUMENT: "read",
}
_Media: TypeAlias = InputMediaAudio | InputMediaDocument | InputMediaPhoto | InputMediaVideo
_MEDIA: Mapping[UploadKind, type[_Media]] = {
    UploadKind.PHOTO: InputMediaPhoto,
    UploadKind.VIDEO: InputMediaVideo,
    UploadKind.AUDIO: InputMediaAudio,
    UploadKind.DOCUMENT: InputMediaDocument,
}


class TelegramFileTransfer:
    """Moves files. `within` makes calls in a chat. All methods raise ChannelError."""

    def __init__(
        self, bot: Bot, pool: HttpPool, config: Config, within: Callable[..., Awaitable[Any]]
    ) -> None:
        self._bot = bot
        self._pool = pool
        self._config = config
        self._within = within

    async def fetch(self, file_id: str, into: Path, limit: int) -> int:
        """Stream a file's bytes; returns their number. Raises AttachmentRefused."""
        try:
            with map_sdk_errors():
                found = await self._bot.get_file(file_id)
        except DeliveryRejected as error:
            raise file_withheld("Telegram does not hand it out (too large, or gone)") from error
        path = found.file_path or ""
        if path.startswith("/"):
            # A Bot API server of one's own in local mode names a file of its machine.
            return await copy_file(Path(path), into, limit)
        async with self._pool as session:
            return await download(session, path, into, limit)

    def kind(self, file: StoredFile) -> UploadKind:
        """Return as what a file is sent: what cannot be played, or is too large for that, as a document."""
        mime = file.mime.partition(";")[0].strip().lower()
        if file.voice and mime in _SPOKEN:
            return UploadKind.VOICE
        kind = _PLAYED.get(mime, UploadKind.DOCUMENT)
        if kind is UploadKind.PHOTO:
            fits = file.kind is AttachmentKind.IMAGE and file.size <= self._config.max_photo_out
            return kind if fits else UploadKind.DOCUMENT
        return kind

    def album(self, files: Sequence[StoredFile]) -> Sequence[StoredFile]:
        """Return the first of the files that make an album together: one alone is none."""
        family = _ALBUMS.get(self.kind(files[0]))
        room, count = self._config.max_file_out, 0
        for file in files[:MOST_IN_ALBUM]:
            room -= file.size
            if family is None or room < 0 or _ALBUMS.get(self.kind(file)) != family:
                break
            count += 1
        return files[: max(1, count)]

    async def send(
        self, place: TelegramDestination, file: StoredFile, caption: FormattedMessage | None = None
    ) -> int:
        """Send a file, with words under it; return the message's id.

        Raises AttachmentRefused when it is too large or gone.
        """
        if file.size > self._config.max_file_out:
            raise file_too_large(self._config.max_file_out)
        kind = self.kind(file)
        if kind is not UploadKind.DOCUMENT:
            # What Telegram does not take as a photo (too long and narrow, say) it takes as a document.
            with suppress(DeliveryRejected):
                return await self._send_as(kind, place, file, caption)
        return await self._send_as(UploadKind.DOCUMENT, place, file, caption)

    async def send_album(self, place: TelegramDestination, files: Sequence[StoredFile]) -> tuple[int, ...]:
        """Send files as one album, all or none; return the messages' ids. Raises AttachmentRefused."""

        async def call(chat: int) -> tuple[int, ...]:
            with ExitStack() as opened:
                media = [_MEDIA[self.kind(file)](await self._open(file, opened)) for file in files]
                sent = await self._bot.send_media_group(chat, media, message_thread_id=place.topic)
            return tuple(message.message_id for message in sent)

        return await self._upload(place, call)

    async def _send_as(
        self, kind: UploadKind, place: TelegramDestination, file: StoredFile, caption: FormattedMessage | None
    ) -> int:
        method = getattr(self._bot, f"send_{kind}")
        extra: dict[str, Any] = {"supports_streaming": True} if kind is UploadKind.VIDEO else {}
        if caption is not None:
            extra |= {"caption": caption.text, "caption_entities": caption.entities}
            extra["reply_parameters"] = place.answered

        async def call(chat: int) -> int:
            with ExitStack() as opened:
                upload = await self._open(file, opened)
                message = await method(chat, upload, message_thread_id=place.topic, **extra)
            number: int = message.message_id
            return number

        return await self._upload(place, call)

    async def _open(self, file: StoredFile, opened: ExitStack) -> InputFile:
        content = opened.enter_context(await asyncio.to_thread(Path(file.path).open, "rb"))
        return InputFile(content, safe_name(file.name), attach=True, read_file_handle=False)

    async def _upload(self, place: TelegramDestination, call: Callable[[int], Awaitable[T]]) -> T:
        try:
            result: T = await self._within(place.chat, call)
        except FileNotFoundError as error:
            raise file_gone() from error
        return result
