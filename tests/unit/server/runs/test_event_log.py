"""Event logs: numbered, bounded, and followed without a loss."""

from __future__ import annotations

import asyncio

import orjson
import pytest

from parley.server.runs.event_log import RunEventLog, parse_event_id

FIRST = 1_000_000_001


def log(attempt: int = 1, max_events: int = 1000, max_bytes: int = 1_000_000) -> RunEventLog:
    made = RunEventLog(max_events, max_bytes)
    made.begin(attempt)
    return made


async def read(events: RunEventLog, after: int = 0) -> list[tuple[str, int]]:
    """Names and ids of what a follower gets."""
    text = b"".join([piece async for piece in events.follow(after)]).decode()
    frames = [
        dict(line.split(": ", 1) for line in frame.split("\r\n")) for frame in text.split("\r\n\r\n")[:-1]
    ]
    return [(frame["event"], int(frame["id"])) for frame in frames]


async def test_a_follower_gets_exactly_what_came_after() -> None:
    events = log()
    for number in range(5):
        events.append(f"e{number}", number)
    events.close()
    assert await read(events, FIRST + 1) == [("e2", FIRST + 2), ("e3", FIRST + 3), ("e4", FIRST + 4)]
    assert await read(events, FIRST + 4) == []


async def test_a_follower_waits_for_what_is_to_come() -> None:
    events = log()
    following = asyncio.create_task(read(events))
    for number in range(3):
        await asyncio.sleep(0)
        events.append("e", number)
    events.close()
    assert [event_id for _, event_id in await following] == [FIRST, FIRST + 1, FIRST + 2]


async def test_a_later_attempt_is_seen_from_its_first_event() -> None:
    events = log(attempt=2)
    events.append("metadata", {})
    events.close()
    assert await read(events, FIRST + 500) == [("metadata", 2_000_000_001)]


@pytest.mark.parametrize("bounds", [{"max_events": 3}, {"max_bytes": 120}])
async def test_a_log_is_bounded_and_says_what_is_missing(bounds: dict[str, int]) -> None:
    events = log(**bounds)
    for number in range(10):
        events.append("e", number)
    events.close()
    got = await read(events)
    assert got[0][0] == "gap"
    assert [event_id for _, event_id in got[1:]] == [FIRST + 7, FIRST + 8, FIRST + 9]
    assert await read(events, FIRST + 8) == [("e", FIRST + 9)]


async def test_names_and_data_cannot_forge_frames() -> None:
    events = log()
    events.append("a\r\n\r\nevent: end", "x\n\ndata: y")
    events.close()
    [frame] = [piece async for piece in events.follow(0)]
    lines = frame.split(b"\r\n")
    assert lines[0] == b"event: a event: end"
    assert orjson.loads(lines[1].removeprefix(b"data: ")) == "x\n\ndata: y"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("header", "number"), [("17", 17), ("-1", 0), (None, 0), ("", 0), ("1732-0", 0), ("٣", 0), ("9" * 30, 0)]
)
def test_odd_event_ids_ask_for_everything(header: str | None, number: int) -> None:
    assert parse_event_id(header) == number
