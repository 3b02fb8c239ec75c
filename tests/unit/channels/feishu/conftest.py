"""The simulated Feishu and a channel on it."""

from collections.abc import Iterator

import pytest

from parley.simulator.feishu import FeishuSimulator
from tests.kit.platforms.feishu_channel import QUICK, World, make_channel


@pytest.fixture
def world(tmp_path) -> Iterator[World]:
    with FeishuSimulator(timing=QUICK) as sim:
        yield World(sim, sim.people.add_person("Ann"), make_channel(sim, tmp_path), tmp_path)
