"""A node whose clock is five minutes off counts by the database's clock, and says that it is off."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from tests.chaos.injection.clock import WARNING, Clock
from tests.kit.product.process import way_in
from tests.nodes.node_cluster import NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(120)]

OFF = 300.0
LIMITS = {"person": {"turns_per_minute": 100}}
MINUTES = "SELECT until - parley.moment(NULL) FROM parley.tallies ORDER BY until LIMIT 1"


def test_windows_of_limits_are_those_of_the_database(town: NodeCluster, tmp_path: Path):
    clock = Clock(tmp_path / "clock")
    if not clock.variables:
        pytest.skip(WARNING)
    clock.put_off(OFF)
    node = town.start("a", variables=clock.variables, limits=LIMITS)
    node.wait_until_up()
    person = town.at_page("a")
    person.ask("hello")
    ((left,),) = town.asked(MINUTES)
    assert isinstance(left, float)
    assert -60 < left <= 60
    with httpx.Client(**way_in(node.url)) as http:
        until(lambda: "here the clock is 300 s ahead" in http.get("/api/health").text)
    assert node.log.count("this machine's clock is 300 s ahead") == 1
    status = person.ask("/status").text
    assert "clock is 300 s ahead" in status
    assert re.search(r"0 conversations wait \(the oldest 0 s\).* the store takes \d+ ms", status)
