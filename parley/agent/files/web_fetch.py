"""Files on the web that an answer links, fetched from public addresses only.

An address in an answer may be anybody's words. So nothing inside the operator's network is asked: every name
is resolved here, all its addresses must be public, and each redirect is checked like the first address.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from ipaddress import ip_address

import httpx
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from parley.core.network import Address, is_public

_REDIRECTS = 3
_PATIENCE = 20.0
_PIECE = 65_536
_FAMILIES = ("image/", "audio/", "video/", "application/")
_LONGEST_URL = 2_000


class NotFetched(Exception):
    """A file that cannot be had; `too_large` says that it is there, but larger than is taken."""

    def __init__(self, reason: str, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.too_large = too_large


async def fetch_public(
    url: str,
    most: int,
    allowed: Callable[[Address], bool] = is_public,
    families: tuple[str, ...] = _FAMILIES,
) -> tuple[bytes, str]:
    """Return the file at `url` and its type, which is of one of the families.

    Raises NotFetched, also for more than `most` bytes.
    """
    connector = TCPConnector(resolver=CheckedResolver(allowed), ssl=httpx.create_ssl_context())
    try:
        async with (
            asyncio.timeout(_PATIENCE),
            ClientSession(
                connector=connector, cookie_jar=DummyCookieJar(), timeout=ClientTimeout(_PATIENCE)
            ) as session,
        ):
            place = checked_address(url, allowed)
            for _ in range(_REDIRECTS + 1):
                found = await _get(session, place, most, families)
                if not isinstance(found, URL):
                    return found
                place = checked_address(str(found), allowed)
    except (ClientError, OSError, ValueError) as error:
        raise NotFetched(f"{type(error).__name__}: {error}") from error
    raise NotFetched(f"more than {_REDIRECTS} redirects")


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


def checked_address(url: str, allowed: Callable[[Address], bool]) -> URL:
    """An address that may be asked. Raises NotFetched."""
    place = URL(url[: _LONGEST_URL + 1])
    if len(url) > _LONGEST_URL or place.scheme not in ("http", "https") or not place.host or place.user:
        raise NotFetched("not an address on the web")
    try:
        literal = ip_address(place.host)
    except ValueError:
        return place  # a name: the resolver checks what it stands for
    if not allowed(literal):
        raise NotFetched("its address is not a public one")
    return place


class CheckedResolver(AbstractResolver):
    """Resolves names of allowed addresses only."""

    def __init__(self, allowed: Callable[[Address], bool]) -> None:
        self._allowed = allowed
        self._names = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._names.resolve(host, port, family)
        for each in found:
            if not self._allowed(ip_address(each["host"].partition("%")[0])):
                raise NotFetched("its address is not a public one")
        return found

    async def close(self) -> None:
        """Let go of the resolver."""
        await self._names.close()
