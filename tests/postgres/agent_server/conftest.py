"""Two agent servers on one schema, within the test's own loop, and the stock SDK on each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from starlette.applications import Starlette

from benchmarks.kit.postgres_cluster import Cluster
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from parley.server.storage.interface import PostgresPlace
from tests.kit.machine import patience


@dataclass
class Pair:
    """Two servers: an app and a client of each."""

    place: PostgresPlace
    apps: list[Starlette] = field(default_factory=list)
    clients: list[LangGraphClient] = field(default_factory=list)


OpenPair: TypeAlias = Callable[[Mapping[str, Any]], AbstractAsyncContextManager[Pair]]


@pytest.fixture
def place(cluster: Cluster, schema: str) -> PostgresPlace:
    return PostgresPlace(cluster.url, schema, lease=patience(3))


@pytest.fixture
def pair(place: PostgresPlace, tmp_path: Path) -> OpenPair:
    @asynccontextmanager
    async def open_(graphs: Mapping[str, Any]) -> AsyncIterator[Pair]:
        made = Pair(place)
        async with AsyncExitStack() as stack:
            for _ in range(2):
                options = EmbeddedOptions(tmp_path / "unused", graphs, postgres=place)
                app = await stack.enter_async_context(embedded_server(options))
                transport = StreamingASGITransport(app)
                http = httpx.AsyncClient(
                    transport=transport, base_url="http://embedded", timeout=patience(60)
                )
                made.apps.append(app)
                made.clients.append(LangGraphClient(await stack.enter_async_context(http)))
            yield made

    return open_
