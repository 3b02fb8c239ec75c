"""The server's clock as a node knows it: a slow answer makes nothing worse, a step is followed."""

from __future__ import annotations

from parley.store.postgres.server_clock import ServerClock
from tests.kit.store.nodes import Clock


def test_the_best_reading_counts():
    own = Clock(100.0)
    server = ServerClock(own)
    own.advance(4.0)
    server.take_reading(100.0, 1002.0)  # 898 to 902 ahead
    assert server.now() == 1004.0
    own.advance(0.5)
    server.take_reading(104.0, 1003.0)  # 898.5 to 899
    assert server.now() == 1003.5
    own.advance(20.0)
    server.take_reading(104.5, 1004.5)  # 880 to 900: less is known
    assert server.now() == 1023.5
    server.take_reading(124.5, 5000.0)  # somebody set it
    assert server.now() == 5000.0
