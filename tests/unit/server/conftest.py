"""A server within the test's own loop, and the stock SDK on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from tests.kit.machine import patience

Served: TypeAlias = Callable[[EmbeddedOptions], AbstractAsyncContextManager[LangGraphClient]]


@asynccontextmanager
async def _served(options: EmbeddedOptions) -> AsyncIterator[LangGraphClient]:
    async with (
        embedded_server(options) as app,
        httpx.AsyncClient(
            transport=StreamingASGITransport(app), base_url="http://embedded", timeout=patience(30)
        ) as http,
    ):
        yield LangGraphClient(http)


@pytest.fixture
def served() -> Served:
    return _served


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[LangGraphClient]:
    """A client of the server as it is without any settings, but in a hurry."""
    async with _served(EmbeddedOptions(tmp_path / "agent.sqlite", word_delay=0.0)) as client:
        yield client
