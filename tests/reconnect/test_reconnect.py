"""Whatever happens to a channel's connection, it is back by itself, and nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reconnect.disruptions import DISRUPTIONS, Disruption
from tests.reconnect.platform_rigs import RIGS
from tests.reconnect.scenario import stage
from tests.reconnect.table import PART, table

pytestmark = pytest.mark.journeys

_CASES = [
    pytest.param(name, trouble, id=f"{name}-{trouble.name}")
    for name, rig in RIGS.items()
    for trouble in DISRUPTIONS
    if trouble.applies(rig)
]


@pytest.mark.parametrize(("name", "trouble"), _CASES)
async def test_reconnect(name: str, trouble: Disruption, tmp_path: Path) -> None:
    async with stage(name, tmp_path) as made:
        await trouble.happens(made)


def test_the_documented_outcomes_are_the_tested_ones() -> None:
    PART.check(table())
