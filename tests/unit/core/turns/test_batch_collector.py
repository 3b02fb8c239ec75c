"""The store's clock need not agree with ours: a server has its own, and ours may be put back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.options import ChannelOptions
from parley.core.model.queues import turn_queue
from parley.core.model.types import SessionSettings
from parley.core.turns.batch_collector import collect_batch
from tests.kit.doubles.core import core, default_options
from tests.kit.machine import patience

_HOUR = 3600.0


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


def texts(burst: Sequence[QueuedMessage]) -> list[str]:
    """What was said."""
    return [each.message.text for each in burst]
