"""Health: alive, ready, and why not."""

import pytest

from parley.core.ports.health import Health, HealthReport
from tests.kit.doubles.console_server import UP, inside


def report(name: str, health: Health) -> HealthReport:
    return HealthReport(name, health, "because", 12.5)


@pytest.mark.parametrize(
    ("reports", "status"),
    [
        ([UP], 200),
        ([UP, report("telegram", Health.REFUSED), report("agent", Health.RETRYING)], 200),
        ([UP, report("slack", Health.OFF)], 200),
        ([UP, report("web", Health.STARTING)], 503),
        ([report("store", Health.RETRYING)], 503),
        ([], 503),
    ],
)
async def test_ready_means_that_messages_are_taken(reports: list[HealthReport], status: int) -> None:
    async with inside(reports=reports) as http:
        assert (await http.get("/readyz")).status_code == status
        assert (await http.get("/livez")).status_code == 200


async def test_what_is_missing_is_named() -> None:
    async with inside(reports=[report("store", Health.RETRYING), report("web", Health.STARTING)]) as http:
        assert (await http.get("/readyz")).text == "store: retrying\nweb: starting\n"


async def test_every_report_is_listed() -> None:
    async with inside(reports=[UP, report("agent", Health.RETRYING)]) as http:
        found = (await http.get("/api/health")).json()
    assert found["ready"]
    assert found["parts"][1] == {"name": "agent", "health": "retrying", "detail": "because", "since": 12.5}
