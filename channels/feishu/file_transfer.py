"""Files to and from Feishu: images, sounds and films as what they are, everything else as files."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from parley.channels.feishu.api import FeishuApi, FeishuDestination
from parley.channels.feishu.config import Config
from parley.channels.feishu.errors import PlaceLost, ScopeMissing
from parley.channels.kit.files import file_too_large, file_withheld, safe_name
from parley.core.attachments.audio_files import is_mpeg4, is_opus, seconds_of
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import DeliveryRejected

log = logging.getLogger(__name__)

_LONGEST = 24 * 3600 * 1000
"""Milliseconds; what a file says of itself may be anything."""
_HANDLE = re.compile(r"(image|file):([\w-]+):([\w.-]+)\Z")
_PHOTOS = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "image/tiff"})
_TYPES = {
    ".pdf": "pdf",
    ".doc": "doc",
    ".docx": "doc",
    ".xls": "xls",
    ".xlsx": "xls",
    ".ppt": "ppt",
    ".pptx": "ppt",
}
_PLAYED = frozenset({"audio/ogg", "audio/opus", "video/mp4"})
"""What Feishu may play, if it is what its name says."""


@dataclass(frozen=True, slots=True)
class FeishuUploadKind:
    """As what a file is uploaded, and the kind of its message; Feishu refuses a pair that does not match.

    `duration` is in milliseconds; without one Feishu shows none.
    """

    file_type: str
    message: str = "file"
    duration: int = 0


class FeishuFileTransfer:
    """Sends and fetches files. Raises ChannelError."""

    def __init__(self, api: FeishuApi, config: Config) -> None:
        self._api, self._config = api, config

    async def send(self, place: FeishuDestination, file: StoredFile, uuid: str) -> str:
        """Send an image where Feishu takes it as one, else a file; return the message's id.

        Raises AttachmentRefused when the file is too large or not there.
        """
        most = self._config.max_file_out
        if file.size > most:
            raise file_too_large(most)
        if (
            file.kind is AttachmentKind.IMAGE
            and file.mime in _PHOTOS
            and file.size <= self._config.max_image_out
        ):
            with _refusals_left_to_files():
                key = await self._api.upload("image", file, {"image_type": "message"})
                return await self._api.send(place, "image", {"image_key": key}, uuid)
        played = await asyncio.to_thread(_playable, file)
        if played is not None:
            with _refusals_left_to_files():
                return await self._send_as(played, place, file, uuid)
        suffix = PurePosixPath(safe_name(file.name)).suffix.lower()
        return await self._send_as(FeishuUploadKind(_TYPES.get(suffix, "stream")), place, file, uuid)

    async def _send_as(
        self, kind: FeishuUploadKind, place: FeishuDestination, file: StoredFile, uuid: str
    ) -> str:
        fields = {"file_type": kind.file_type, "file_name": safe_name(file.name)}
        if kind.duration:
            fields["duration"] = str(kind.duration)
        key = await self._api.upload("file", file, fields)
        return await self._api.send(place, kind.message, {"file_key": key}, uuid)

    async def fetch(self, handle: str, into: Path, limit: int) -> int:
        """Stream a file of a message; returns the number of bytes. Raises AttachmentRefused."""
        found = _HANDLE.match(handle)
        if found is None:
            raise file_withheld("not a file of Feishu's")
        kind, message, key = found.groups()
        try:
            return await self._api.download(message, key, kind, into, limit)
        except DeliveryRejected as error:
            raise file_withheld("Feishu does not hand it out (too large, gone, or not permitted)") from error


@contextmanager
def _refusals_left_to_files() -> Iterator[None]:
    """Leave what Feishu does not take as an image, a sound or a film to be sent as a file."""
    try:
        yield
    except (PlaceLost, ScopeMissing):
        raise
    except DeliveryRejected as error:
        log.info("feishu: sent as a file instead (%s)", error)


def _playable(file: StoredFile) -> FeishuUploadKind | None:
    """Return as what Feishu plays a file, None for what it does not play."""
    mime = file.mime.partition(";")[0].strip().lower()
    if mime not in _PLAYED:
        return None
    try:
        content = Path(file.path).read_bytes()
    except OSError:
        # Whoever uploads it finds out, too.
        return None
    film = mime == "video/mp4" and is_mpeg4(content)
    if not film and not is_opus(content):
        return None
    milliseconds = min(round(seconds_of(content) * 1000), _LONGEST)
    return (
        FeishuUploadKind("mp4", "media", milliseconds)
        if film
        else FeishuUploadKind("opus", "audio", milliseconds)
    )
