"""The simulated Telegram, and the vendor's own SDK as its judge."""

from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest
from telegram import Bot

from parley.simulator.telegram import SimulatedTelegramPerson, TelegramSimulator


@pytest.fixture
def sim() -> Iterator[TelegramSimulator]:
    with TelegramSimulator() as running:
        yield running


@pytest.fixture
def alice(sim: TelegramSimulator) -> SimulatedTelegramPerson:
    return sim.people.add_person("Alice")


@pytest.fixture
async def bot(sim) -> AsyncIterator[Bot]:
    async with make_bot(sim) as ready:
        yield ready


def make_bot(sim: TelegramSimulator, token: str = "") -> Bot:
    return Bot(token or sim.token, base_url=f"{sim.api_url}/bot", base_file_url=f"{sim.api_url}/file/bot")


@pytest.fixture
async def http(sim) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(sim.api_url) as session:
        yield session
