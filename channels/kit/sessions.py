"""One pool of HTTP connections, open only while somebody is inside."""

from __future__ import annotations

from types import TracebackType

import aiohttp


class Sessions:
    """`async with sessions as session:` any number of times at once; the last to leave closes it.

    Who stays inside (a listening channel) keeps the pool warm for everybody, and nothing needs closing
    at the end. Proxies are taken from the environment.
    """

    def __init__(self, connections: int = 256) -> None:
        self._connections = connections
        self._inside = 0
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections)
            self._session = aiohttp.ClientSession(connector=connector, trust_env=True)
        self._inside += 1
        return self._session

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inside -= 1
        if self._inside == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()
