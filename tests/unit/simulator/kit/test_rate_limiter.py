"""Rate limits count what was let through, and say how long to wait."""

from __future__ import annotations

from parley.simulator.kit.rate_limiter import RateLimiter


def test_so_many_are_let_through_and_each_key_has_its_own_count():
    limiter = RateLimiter()
    assert [limiter.wait("chat", (2, 1000.0)) == 0 for _ in range(3)] == [True, True, False]
    assert limiter.wait("another chat", (2, 1000.0)) == 0


def test_the_longest_of_several_waits_counts():
    limiter = RateLimiter()
    limits = ((1, 10_000.0), (2, 20_000.0))
    assert limiter.wait("chat", *limits) == 0
    assert 5_000 < limiter.wait("chat", *limits) <= 10_000


def test_it_lets_on_once_the_window_has_passed():
    limiter = RateLimiter()
    assert [limiter.wait("chat", (1, 0.0)) for _ in range(3)] == [0, 0, 0]
