"""Files on the web that an answer links, and pages, fetched from public addresses only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import TYPE_CHECKING

from yarl import URL

from parley.agent.files.web_address import NotFetched, checked_address
from parley.core.network import Address, is_public

if TYPE_CHECKING:
    from aiohttp import ClientSession

_REDIRECTS = 3
_PIECE = 65_536
_FAMILIES = ("image/", "audio/", "video/", "application/")


async def fetch_public(
    url: str,
    most: int,
    allowed: Callable[[Address], bool] = is_public,
    families: tuple[str, ...] = _FAMILIES,
) -> tuple[bytes, str]:
    """Return the file at `url` and its type, which is of one of the families.

    Raises NotFetched, also for more than `most` bytes.
    """
    async with await open_session(allowed) as session:
        place = checked_address(url, allowed)
        for _ in range(_REDIRECTS + 1):
            found = await _get(session, place, most, families)
            if not isinstance(found, URL):
                return found
            place = checked_address(str(found), allowed)
    raise NotFetched(f"more than {_REDIRECTS} redirects")


async def open_session(allowed: Callable[[Address], bool]) -> AbstractAsyncContextManager[ClientSession]:
    """Return a session for allowed addresses. Loading aiohttp takes a quarter of a second: in a thread."""
    await asyncio.to_thread(import_module, "parley.agent.files.web_session")
    from parley.agent.files.web_session import public_session

    return public_session(allowed)


async def _get(
    session: ClientSession, place: URL, most: int, families: tuple[str, ...]
) -> tuple[bytes, str] | URL:
    """A file, or where else to look for it."""
    async with session.get(place, allow_redirects=False, headers={"User-Agent": "parley"}) as answer:
        if answer.status in (301, 302, 303, 307, 308):
            return place.join(URL(answer.headers.get("Location", "")))
        if answer.status != 200:
            raise NotFetched(f"HTTP {answer.status}")
        if not answer.content_type.startswith(families):
            raise NotFetched(f"it is {answer.content_type}")
        body = bytearray()
        async for piece in answer.content.iter_chunked(_PIECE):
            if len(body) + len(piece) > most:
                raise NotFetched(f"more than {most:,} bytes", too_large=True)
            body += piece
        return bytes(body), answer.content_type
