"""The feed: nothing missed, nothing out of date, bounded."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from parley.channels.web.chat.entries import EntryLocation, TranscriptEntry
from parley.channels.web.chat.event_log import ChatChanged, EntryShown, EventLog


def shown(turn: str, text: str) -> EntryShown:
    return EntryShown(EntryLocation("chat-0001"), TranscriptEntry(turn, "agent", 1, text))


def texts(feed: EventLog, number: int) -> list[str] | None:
    events = feed.since(number)
    return None if events is None else [e.entry.text for _, e in events if isinstance(e, EntryShown)]


def test_a_newer_snapshot_takes_the_place_of_an_older_one() -> None:
    feed = EventLog()
    for text in ("a", "ab", "abc"):
        feed.publish(shown("turn-1", text))
    assert texts(feed, 0) == ["abc"]


def test_a_reader_that_was_away_too_long_must_load_afresh() -> None:
    feed = EventLog(max_events=2)
    for number in range(4):
        feed.publish(shown(f"turn-{number}", str(number)))
    assert feed.since(1) is None
    assert texts(feed, 2) == ["2", "3"]


def test_memory_is_bounded_by_the_length_of_texts_too() -> None:
    feed = EventLog(max_weight=10_000)
    for number in range(10):
        feed.publish(shown(f"turn-{number}", "x" * 3000))
    events = feed.since(feed.newest - 3)
    assert events is not None
    assert len(events) == 3
    assert feed.since(feed.newest - 4) is None


def test_cursors_of_another_life_or_of_nonsense_are_not_known() -> None:
    feed = EventLog()
    feed.publish(ChatChanged("chat-0001", None))
    assert feed.cursor(f"{feed.epoch}.1") == 1
    for text in ("", "1", f"{EventLog().epoch}x.1", f"{feed.epoch}.-1", f"{feed.epoch}.²", f"{feed.epoch}."):
        assert feed.cursor(text) is None


async def test_a_waiting_reader_wakes_for_the_next_event() -> None:
    feed = EventLog()
    waiting = asyncio.create_task(feed.wait(0))
    feed.publish(shown("turn-1", "a"))
    await waiting


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=60))
def test_a_reader_that_reads_now_and_then_ends_with_every_newest_state(moves: list[tuple[int, int]]) -> None:
    feed, cursor, state, truth = EventLog(), 0, {}, {}
    for step, (turn, read) in enumerate([*moves, (0, 0)]):
        feed.publish(shown(f"turn-{turn}", str(step)))
        truth[f"turn-{turn}"] = str(step)
        if read == 0:
            events, cursor = feed.since(cursor) or (), feed.newest
            for _, event in events:
                assert isinstance(event, EntryShown)
                state[event.entry.id] = event.entry.text
    assert state == truth
