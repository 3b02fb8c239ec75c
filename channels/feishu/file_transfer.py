"""Files to and from Feishu: images as images, everything else as files."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from parley.channels.feishu.api import FeishuApi, FeishuDestination
from parley.channels.feishu.config import Config
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.kit.files import file_too_large, file_withheld, safe_name
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import DeliveryRejected

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
        picture = file.kind is AttachmentKind.IMAGE and file.mime in _PHOTOS
        if picture and file.size <= self._config.max_image_out:
            try:
                key = await self._api.upload("image", file, {"image_type": "message"})
            except ScopeMissing:
                raise
            except DeliveryRejected:
                # What Feishu does not take as an image it takes as a file.
                pass
            else:
                return await self._api.send(place, "image", {"image_key": key}, uuid)
        name = safe_name(file.name)
        fields = {"file_type": _TYPES.get(PurePosixPath(name).suffix.lower(), "stream"), "file_name": name}
        key = await self._api.upload("file", file, fields)
        return await self._api.send(place, "file", {"file_key": key}, uuid)

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
