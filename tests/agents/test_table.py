"""Every row of the table, on every server."""

from __future__ import annotations

import pytest

from tests.agents.conftest import Played
from tests.agents.player import differences
from tests.agents.rows import Row
from tests.agents.servers import AgentServer
from tests.agents.table import ROWS

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_graph_is_understood(
    row: Row, server: AgentServer, played: Played, request: pytest.FixtureRequest
) -> None:
    if item := row.wrong.get(server.kind):
        request.applymarker(pytest.mark.xfail(reason=f"item {item} of the issue", strict=True))
    heard = played[row.name]
    if isinstance(heard, BaseException):
        raise AssertionError(f"it could not be played: {heard!r}") from heard
    found = [
        f"turn {number}: {said}"
        for number, (turn, each) in enumerate(zip(row.expected(server.kind), heard, strict=True), 1)
        for said in differences(turn, each)
    ]
    assert found == []
