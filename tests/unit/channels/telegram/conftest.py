"""The simulated Telegram and a channel on it."""

from collections.abc import Iterator

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.platforms.telegram_channel import MemoryDocuments, World, make_channel


@pytest.fixture
def world(tmp_path) -> Iterator[World]:
    with TelegramSimulator() as sim:
        alice = sim.people.add_person("Alice", language="de")
        documents = MemoryDocuments()
        yield World(sim, alice, make_channel(sim, tmp_path, documents), tmp_path, documents)
