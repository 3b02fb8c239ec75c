"""Starts each server once, and gives every check its own client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.conformance.servers import Server, embedded, official
from tests.kit.machine import patience

_SERVERS: dict[str, Callable[[Path], AbstractContextManager[Server]]] = {
    "embedded": embedded,
    "official": official,
}


@pytest.hookimpl(tryfirst=True)  # editions look at the marks after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL all but the surface of RemoteGraph is long: only the storage is another one."""
    if config.getoption("--engine") != "postgres":
        return
    for item in items:
        if item.nodeid.startswith("tests/conformance/") and "test_remote_graph.py" not in item.nodeid:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", params=["embedded", pytest.param("official", marks=pytest.mark.conformance)])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with _SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as running:
        yield running


@pytest.fixture
async def client(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url, api_key=server.key, timeout=patience(60.0)) as made:
        yield made
