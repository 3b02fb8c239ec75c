"""Downloads from a platform, to files that stay under their limit."""

from __future__ import annotations

from pathlib import Path

import aiohttp

from parley.channels.kit.files import CHUNK, file_gone, file_too_large, save_chunks
from parley.channels.kit.http.errors import describe_network_error
from parley.core.model.errors import ChannelUnavailable


async def save_response(response: aiohttp.ClientResponse, into: Path, limit: int) -> int:
    """Write a response's body to a file as `save_chunks` does.

    Raises AttachmentRefused before anything is read where it is announced as too large.
    """
    if (response.content_length or 0) > limit:
        raise file_too_large(limit)
    return await save_chunks(response.content.iter_chunked(CHUNK), into, limit)


async def download(session: aiohttp.ClientSession, url: str, into: Path, limit: int) -> int:
    """Stream a URL to a file; returns the number of bytes. The URL may be a secret: no error shows it.

    Raises AttachmentRefused for more than `limit` bytes and for a file that is not there, ChannelUnavailable.
    """
    try:
        async with session.get(url) as answer:
            if answer.status in (400, 403, 404, 410):
                raise file_gone()
            if answer.status != 200:
                raise ChannelUnavailable(f"the download was answered with status {answer.status}")
            return await save_response(answer, into, limit)
    except (aiohttp.ClientError, TimeoutError) as error:
        # Not chained: the text of some of these errors has the URL in it.
        raise ChannelUnavailable(f"the download broke off: {describe_network_error(error)}") from None
