"""The store's clock need not agree with ours: a server has its own, and ours may be put back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.options import ChannelOptions
from parley.core.model.queues import turn_queue
from parley.core.model.types import SessionSettings
from parley.core.ports.journal import Journal, QueueItem
from parley.core.turns.batch_collector import collect_batch
from tests.kit.doubles.core import Core, core, default_options
from tests.kit.machine import patience

_HOUR = 3600.0
_SAID = 1000.0


@pytest.mark.parametrize("off", [-_HOUR, 0.0, _HOUR])
@pytest.mark.parametrize("window", [0.0, 0.05])
async def test_a_burst_is_over_after_its_window_whatever_the_clocks_say(
    tmp_path: Path, off: float, window: float
) -> None:
    channel = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"ann"}), burst_window=window)
    async with core(tmp_path, options=default_options(channels={"test": channel}), working=False) as parley:
        await parley.say("hi")
        (claim,) = await parley.journal.claim(turn_queue("test"), 1)
        services = replace(parley.services, clock=lambda: time.time() + off)
        async with asyncio.timeout(patience(20)):
            burst = await collect_batch(services, claim)
    assert texts(burst) == ["hi"]


class SlowNode:
    """Another node: what it heard earlier is stored when somebody looks for the second time."""

    def __init__(self, parley: Core) -> None:
        self._parley = parley
        self.looks = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._parley.journal, name)

    async def waiting(self, queue: str, lane: str) -> Sequence[QueueItem]:
        self.looks += 1
        await self._parley.say("earlier", sent_at=_SAID - 0.1)
        return await self._parley.journal.waiting(queue, lane)


@pytest.mark.parametrize(
    ("others", "timed", "waited", "first"),
    [
        (True, True, 0.0, "earlier"),
        (False, True, 0.0, "later"),
        (True, False, 0.0, "later"),
        (True, True, 1.0, "later"),  # it has waited long enough, for another turn
    ],
)
async def test_what_another_node_heard_earlier_is_answered_first(
    tmp_path: Path, others: bool, timed: bool, waited: float, first: str
) -> None:
    channel = ChannelOptions(SessionSettings("agent"), allowed_users=frozenset({"ann"}), burst_window=0.0)
    async with core(tmp_path, options=default_options(channels={"test": channel}), working=False) as parley:
        parley.channel.capabilities = replace(parley.channel.capabilities, timed=timed)
        parley.services.bus.crossing = lambda: 0.01 * others
        await parley.say("later", sent_at=_SAID)
        (claim,) = await parley.journal.claim(turn_queue("test"), 1)
        journal, (item,) = SlowNode(parley), claim.items
        services = replace(
            parley.services, journal=cast("Journal", journal), clock=lambda: item.put_at + waited
        )
        assert texts(await collect_batch(services, claim)) == [first]
        assert journal.looks == (first == "earlier")


def texts(burst: Sequence[QueuedMessage]) -> list[str]:
    """What was said."""
    return [each.message.text for each in burst]
