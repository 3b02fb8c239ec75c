"""Limits on the page, in a process of its own, with the demonstration's own tokens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.kit.product.process import Process
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

_LIMITS = {
    "chat": {"turns_per_day": 4},
    "person": {"tokens_per_day": 100_000},
    "prices": {"parley-*": {"input": 1000, "output": 2000}},
    "currency": "EUR",
}


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    limits = {**_LIMITS, "time_zone": far_from_midnight()}
    process = begin(tmp_path_factory.mktemp("limits"), {"limits": limits})
    try:
        process.wait_until_up()
        yield process
    finally:
        end(process)


def far_from_midnight() -> str:
    """A zone where the day does not end during the test."""
    return "UTC" if 4 <= datetime.now(UTC).hour < 20 else "Asia/Tokyo"


def test_a_chat_is_kept_to_its_turns_through_kill_and_restart(limited: Process) -> None:
    web = WebPerson(limited.url)
    answers = [web.ask(f"number {number}").text for number in range(3)]
    assert not any("⚠" in answer for answer in answers)
    assert "⚠ This chat has used 4 of 4 turns a day. The limit resets at 00:00" in web.ask("number 3").text
    limited.kill()
    limited.start()
    again = WebPerson(limited.url, chat=web.chat)
    assert "This chat has reached its limit: 4 of 4 turns a day" in again.ask("number 4").text
    elsewhere = WebPerson(limited.url)
    assert "number 5" in elsewhere.ask("number 5").text
    seen = again.ask("/usage").text
    assert "**You** today: turns: 5 · input tokens: " in seen
    assert "of 100,000 tokens a day; it resets at 00:00" in seen
    assert "EUR" in seen
    assert "without token counts" not in seen
    # Whoever is at this machine administers the page.
    assert "**All people on this channel** today: turns: 5" in seen
    for person in (web, again, elsewhere):
        person.close()
