"""The simulated Telegram and a channel on it."""

from collections.abc import Iterator

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.doubles.leaping_clock import LeapingClock
from tests.kit.platforms.telegram_channel import MemoryDocuments, World, make_channel


@pytest.fixture
def world(tmp_path) -> Iterator[World]:
    clock = LeapingClock()
    with TelegramSimulator(clock=clock.now) as sim:
        alice = sim.people.add_person("Alice", language="de")
        documents = MemoryDocuments()
        channel = make_channel(sim, tmp_path, documents, limits=clock)
        yield World(sim, alice, channel, tmp_path, documents, clock)
