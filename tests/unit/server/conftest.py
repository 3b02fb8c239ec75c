"""A server within the test's own loop, and the stock SDK on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from parley.server.storage.interface import PostgresPlace
from tests.kit.engine import CHOSEN, Sqlite
from tests.kit.machine import patience

Served: TypeAlias = Callable[[EmbeddedOptions], AbstractAsyncContextManager[LangGraphClient]]


def on_chosen_engine(options: EmbeddedOptions) -> EmbeddedOptions:
    """The options with a schema for the folder of their file, where `--engine postgres` was given."""
    url = CHOSEN.engine().section(options.database.parent).get("url")
    return replace(options, postgres=PostgresPlace(url)) if url else options


@asynccontextmanager
async def _served(options: EmbeddedOptions) -> AsyncIterator[LangGraphClient]:
    async with (
        embedded_server(on_chosen_engine(options)) as app,
        httpx.AsyncClient(
            transport=StreamingASGITransport(app), base_url="http://embedded", timeout=patience(30)
        ) as http,
    ):
        yield LangGraphClient(http)


@pytest.fixture
def sqlite_only() -> None:
    """For tests that look into SQLite's file, or go by what it alone does."""
    if not isinstance(CHOSEN.engine(), Sqlite):
        pytest.skip("for SQLite only")


@pytest.fixture
def served() -> Served:
    return _served


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[LangGraphClient]:
    """A client of the server as it is without any settings, but in a hurry."""
    async with _served(EmbeddedOptions(tmp_path / "agent.sqlite", word_delay=0.0)) as client:
        yield client
