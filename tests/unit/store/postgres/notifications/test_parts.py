"""A long text is told in parts: it arrives whole or not at all, and who follows it hears of the gap."""

from __future__ import annotations

import pytest

from parley.store.postgres.notifications import notifier
from tests.unit.store.postgres.notifications.test_hearing import Wire, node

TEXT = "".join(f"{number:04} " for number in range(1500))  # four parts


class Follower:
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.gaps = 0

    def on_message(self, text: str) -> None:
        self.heard.append(text)

    def on_gap(self) -> None:
        self.gaps += 1


async def told(text: str) -> list[str]:
    wire = Wire()
    await node(wire).publish("page", text)
    return wire.sent


async def test_a_text_in_parts_arrives_whole() -> None:
    news, follower = node(Wire()), Follower()
    news.subscribe("page", follower)
    parts = await told(TEXT)
    assert len(parts) == 4
    for part in parts:
        news.take(part)
    assert (follower.heard, follower.gaps) == ([TEXT], 0)


@pytest.mark.parametrize("missed", [1, 2])
async def test_one_with_a_part_missing_is_dropped_and_the_next_arrives(missed: int) -> None:
    news, follower = node(Wire()), Follower()
    news.subscribe("page", follower)
    parts = await told(TEXT)
    for part in parts[:missed] + parts[missed + 1 :]:
        news.take(part)
    assert (follower.heard, follower.gaps) == ([], 1)
    for part in await told(TEXT):
        news.take(part)
    assert (follower.heard, follower.gaps) == ([TEXT], 1)


async def test_texts_whose_end_never_comes_are_dropped() -> None:
    news, follower = node(Wire()), Follower()
    news.subscribe("page", follower)
    for _ in range(notifier._MOST_OPEN + 5):
        news.take((await told(TEXT))[0])
    assert len(news._open) == notifier._MOST_OPEN
    assert (follower.heard, follower.gaps) == ([], 5)


async def test_parts_that_never_end_are_dropped() -> None:
    news, follower = node(Wire()), Follower()
    news.subscribe("page", follower)
    for place in range(1, notifier._MOST_PARTS + 50):
        news.take(f"~other 1 {place} 1000000 page\nx")
    assert (follower.heard, follower.gaps, news._open) == ([], 1, {})
