"""The simulated DingTalk and a channel on it."""

from collections.abc import Iterator

import pytest

from parley.simulator.dingtalk import DingTalkSimulator, DingTalkSimulatorTiming
from tests.kit.machine import patience
from tests.kit.platforms.dingtalk_channel import World, make_channel


@pytest.fixture
def world() -> Iterator[World]:
    with DingTalkSimulator(timing=DingTalkSimulatorTiming(farewell=patience(0.3))) as sim:
        alice = sim.people.add_person("Alice")
        yield World(sim, alice, make_channel(sim))
