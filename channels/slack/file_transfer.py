"""The bytes of files, streamed both ways, under their caps."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import aiohttp

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.files import file_gone, file_too_large, file_withheld, safe_name
from parley.channels.kit.http.download import save_response
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.config import Config
from parley.channels.slack.file_objects import download_url, may_fetch
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable, DeliveryRejected
from parley.core.model.types import JsonObject
from parley.core.texts import Sentence

TRANSFER_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)


class SlackFileTransfer:
    """Downloads and uploads of one app. Every method raises ChannelError."""

    def __init__(self, api: SlackApi, config: Config) -> None:
        self._api = api
        self._config = config

    async def fetch(self, handle: str, into: Path, limit: int) -> int:
        """Stream a file's bytes to `into`; returns their number. Raises AttachmentRefused."""
        file_id, _, url = handle.partition("|")
        url = url or await self._address(file_id)
        if not may_fetch(url, self._config.api_url):
            raise AttachmentRefused("not kept by Slack itself", Sentence.FILE_ELSEWHERE)
        headers = {"Authorization": f"Bearer {self._config.bot_token}"}
        try:
            async with (
                self._api.connected() as session,
                # A redirect leads to a page to log in on, or away from Slack.
                session.get(url, headers=headers, allow_redirects=False, timeout=TRANSFER_TIMEOUT) as answer,
            ):
                _check(answer)
                return await save_response(answer, into, limit)
        except (aiohttp.ClientError, TimeoutError) as error:
            # Not chained: the address is nobody's business.
            raise ChannelUnavailable(f"the download broke off ({type(error).__name__})") from None

    async def upload(self, file: StoredFile) -> str:
        """Put a file's bytes on Slack, where nobody sees them yet; returns its id.

        Raises AttachmentRefused when it is too large, empty or gone.
        """
        if not file.size:
            raise AttachmentRefused("empty", Sentence.FILE_BLANK)
        if file.size > self._config.max_file_out:
            raise file_too_large(self._config.max_file_out)
        try:
            content = await asyncio.to_thread(Path(file.path).open, "rb")
        except FileNotFoundError:
            raise file_gone() from None
        with content:
            return await self._put(content, file)

    async def share(self, place: SlackDestination, file_id: str, name: str) -> None:
        """Show an uploaded file in a place."""
        await self._api.call(
            "files.completeUploadExternal",
            lambda: self._api.client.files_completeUploadExternal(
                files=[{"id": file_id, "title": name}], channel_id=place.chat, thread_ts=place.thread
            ),
        )

    async def is_shared(self, file_id: str) -> bool:
        """Tell whether a file stands in a chat already. Raises DeliveryRejected when that cannot be known."""
        found = await self._info(file_id)
        shares = found.get("shares")
        kinds = shares.values() if isinstance(shares, Mapping) else ()
        return any(kinds) or any(found.get(key) for key in ("channels", "groups", "ims"))

    async def _put(self, content: BinaryIO, file: StoredFile) -> str:
        name, client = safe_name(file.name), self._api.client
        answer = await self._api.call(
            "files.getUploadURLExternal",
            lambda: client.files_getUploadURLExternal(filename=name, length=file.size),
        )
        try:
            async with (
                self._api.connected() as session,
                session.post(str(answer.get("upload_url")), data=content, timeout=TRANSFER_TIMEOUT) as done,
            ):
                if done.status >= 500 or done.status == 429:
                    raise ChannelUnavailable(f"the upload was answered with status {done.status}")
                if done.status != 200:
                    raise DeliveryRejected(f"Slack refused the upload with status {done.status}")
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            # What was put and is not shown is nothing yet: it may be put again.
            raise ChannelUnavailable(f"the upload broke off ({type(error).__name__})") from None
        return str(answer.get("file_id"))

    async def _address(self, file_id: str) -> str:
        try:
            return download_url(await self._info(file_id))
        except DeliveryRejected as error:
            raise file_withheld("Slack does not hand it out") from error

    async def _info(self, file_id: str) -> JsonObject:
        answer = await self._api.call("files.info", lambda: self._api.client.files_info(file=file_id))
        found = answer.get("file")
        if not isinstance(found, dict):
            raise ResponseLost("Slack told nothing of the file")
        return found


def _check(answer: aiohttp.ClientResponse) -> None:
    """Raise AttachmentRefused, ChannelUnavailable for an answer that is not the file."""
    if answer.status == 429 or answer.status >= 500:
        raise ChannelUnavailable(f"the download was answered with status {answer.status}")
    # Without the right to a file Slack sends a page to log in on.
    if answer.status != 200 or _is_login(answer):
        raise file_withheld("Slack does not hand it out (scope files:read?)")


def _is_login(answer: aiohttp.ClientResponse) -> bool:
    return answer.content_type == "text/html" and "attachment" not in answer.headers.get(
        "Content-Disposition", ""
    )
