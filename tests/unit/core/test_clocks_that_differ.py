"""The store's clock need not agree with ours: a server has its own, and ours may be put back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.bursts import Accepted
from parley.core.gather import gather
from parley.core.options import ChannelOptions
from parley.core.queues import turns_of
from parley.core.types import Session
from tests.kit.machine import patience
from tests.unit.core.doubles import core, default_options

_HOUR = 3600.0


@pytest.mark.parametrize("off", [-_HOUR, 0.0, _HOUR])
@pytest.mark.parametrize("window", [0.0, 0.05])
async def test_a_burst_is_over_after_its_window_whatever_the_clocks_say(
    tmp_path: Path, off: float, window: float
) -> None:
    channel = ChannelOptions(Session("agent"), allowed_users=frozenset({"ann"}), burst_window=window)
    async with core(tmp_path, options=default_options(channels={"test": channel}), working=False) as parley:
        await parley.say("hi")
        (claim,) = await parley.journal.claim(turns_of("test"), 1)
        services = replace(parley.services, clock=lambda: time.time() + off)
        async with asyncio.timeout(patience(20)):
            burst = await gather(services, claim)
    assert texts(burst) == ["hi"]


def texts(burst: Sequence[Accepted]) -> list[str]:
    """What was said."""
    return [each.message.text for each in burst]
