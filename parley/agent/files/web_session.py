"""Requests to addresses of anybody's choice.

An address in an answer may be anybody's words. So nothing inside the operator's network is asked: every name
is resolved here, and all its addresses must be allowed; who follows a redirect checks its address, too.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address

import httpx
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from parley.agent.files.web_address import NotFetched
from parley.core.network import Address

_PATIENCE = 20.0


@asynccontextmanager
async def public_session(allowed: Callable[[Address], bool]) -> AsyncIterator[ClientSession]:
    """A session for allowed addresses, of 20 s at most. Raises NotFetched for whatever goes wrong inside."""
    try:
        connector = TCPConnector(resolver=CheckedResolver(allowed), ssl=httpx.create_ssl_context())
        async with (
            asyncio.timeout(_PATIENCE),
            ClientSession(
                connector=connector, cookie_jar=DummyCookieJar(), timeout=ClientTimeout(_PATIENCE)
            ) as session,
        ):
            yield session
    except (ClientError, OSError, ValueError) as error:
        raise NotFetched(f"{type(error).__name__}: {error}") from error


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
