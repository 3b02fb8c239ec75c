"""A web channel over documents in memory, spoken to through its own routes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from parley.channels.web.channel import create
from parley.channels.web.config import Config
from tests.kit.doubles.web import ListInbox, MemoryDocuments, services
from tests.unit.channels.web.page_client import Site

Open = Callable[..., AbstractAsyncContextManager[Site]]


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture
def edits() -> bool:
    """Whether messages can be changed."""
    return False


@pytest.fixture
def open_site(documents: MemoryDocuments, tmp_path: Path, edits: bool) -> Open:
    """Starts a channel as a new process would, over the same documents and folder."""

    @asynccontextmanager
    async def opened(
        config: Config | None = None, listening: bool = True, **more: object
    ) -> AsyncIterator[Site]:
        given = replace(services(documents, tmp_path, reruns=edits), **more)  # type: ignore[arg-type]
        channel = create(config or Config(), given)
        inbox = ListInbox()
        transport = httpx.ASGITransport(Starlette(routes=list(channel.routes())))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            task = asyncio.create_task(channel.listen(inbox))
            if listening:
                await inbox.up.wait()
            else:
                task.cancel()
            yield Site(channel, inbox, http)
            task.cancel()

    return opened


@pytest.fixture
async def site(open_site: Open) -> AsyncIterator[Site]:
    async with open_site() as site:
        yield site
