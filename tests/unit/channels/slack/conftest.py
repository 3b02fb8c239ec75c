"""The simulated Slack with one person."""

from collections.abc import Iterator

import pytest

from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from tests.kit.doubles.leaping_clock import LeapingClock
from tests.kit.machine import patience
from tests.kit.platforms.slack_channel import World


@pytest.fixture
def world() -> Iterator[World]:
    with SlackSimulator(
        # What is sent here within a second is no measure of the pace.
        strict_pace=False,
        timing=SlackSimulatorTiming(ack=patience(1.0), retries=(0.05, 0.1, 0.2, 0.5, 1.0, 2.0)),
    ) as sim:
        yield World(sim, sim.people.add_person("Alice"), LeapingClock())
