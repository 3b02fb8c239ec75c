"""Starts each server once, and plays all chosen rows on it at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

import pytest

from tests.agents.player import Heard, play_all
from tests.agents.rows import Row
from tests.agents.servers import AEGRA, EMBEDDED, OFFICIAL, AgentServer, serving
from tests.agents.table import GRAPHS

Played = Mapping[str, list[Heard] | BaseException]


@pytest.hookimpl(tryfirst=True)  # editions look at the marks after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL all but what threads keep from turn to turn is long: only the storage is another one."""
    if config.getoption("--engine") != "postgres":
        return
    for item in items:
        case = getattr(item, "callspec", None)
        row = case and case.params.get("row")
        if item.nodeid.startswith("tests/agents/") and not (isinstance(row, Row) and len(row.turns) > 1):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", params=[EMBEDDED, OFFICIAL, AEGRA])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    with serving(request.param, tmp_path_factory.mktemp(request.param), GRAPHS) as running:
        yield running


@pytest.fixture(scope="session")
def played(
    server: AgentServer, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Played:
    """What was heard of each row that this run has chosen."""
    chosen = {
        row.name: row
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        if isinstance(row := item.callspec.params.get("row"), Row)
        if item.callspec.params.get("server") == server.kind
    }
    return asyncio.run(play_all(server, list(chosen.values()), tmp_path_factory.mktemp("files")))
