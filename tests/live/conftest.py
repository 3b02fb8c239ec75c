"""Nobody lives through rate limits: simulators and channels count them by one leaping clock."""

from __future__ import annotations

import pytest

import parley.app.live.replay as replaying
from parley.core.ports.channel import Channel
from parley.simulator.registry import operating
from tests.contract.drivers.pace import count_limits_by
from tests.live.walks import LIMITS


@pytest.fixture(autouse=True)
def _limits_are_leapt_over(monkeypatch):
    make = replaying.make_simulated_channel

    def leaping(*given) -> Channel:
        made = make(*given)
        count_limits_by(LIMITS, made)
        return made

    monkeypatch.setattr(replaying, "make_simulated_channel", leaping)
    monkeypatch.setattr(replaying, "operating", lambda platform: operating(platform, LIMITS.now))
