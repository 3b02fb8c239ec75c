"""The account of who wrote where must see two at once, and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.accounting.network_tap import Requests, Write
from tests.chaos.accounting.overlaps import WRITTEN_ONCE_MORE, Span, runs, writers

_FORM = b"POST /bot1:x/editMessageText HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


def writes(*who: str) -> list[Write]:
    """Writes to one message, a second apart: "a1" is the first life of node a."""
    return [Write("m", one[0], int(one[1]), float(at)) for at, one in enumerate(who)]


def test_one_writer_is_no_overlap():
    assert writers(writes("a1", "a1", "a1"), []).moved == 0


def test_another_that_goes_on_is_no_overlap():
    found = writers(writes("a1", "a1", "b1", "b1"), [])
    assert (found.moved, found.overlaps) == (1, ())


def test_the_next_life_is_another_writer():
    assert writers(writes("a1", "a2"), []).moved == 1


def test_a_writer_that_comes_back_is_an_overlap():
    assert len(writers(writes("a1", "b1", "a1"), []).overlaps) == 1
    assert len(writers(writes("a1", "b1", "b1", "a1", "b1"), []).overlaps) == 2


def test_one_that_comes_back_when_the_other_was_hit_is_none():
    spans = [Span("b", 1.5, 1.8)]
    assert writers(writes("a1", "b1", "a1"), spans).overlaps == ()
    assert len(writers(writes("a1", "b1", "a1"), [Span("a", 0.5, 1.8)]).overlaps) == 1
    assert writers(writes("a1", "b1", "a1"), [Span("", 1.5, 1.8)]).overlaps == ()


def test_the_answer_written_once_more_is_none():
    first, second = writes("a1", "b1")
    later = second.at + WRITTEN_ONCE_MORE
    assert writers([first, second, replace(first, at=later)], []).overlaps == ()
    assert len(writers([first, second, replace(first, at=later - 0.1)], []).overlaps) == 1


@pytest.mark.parametrize(
    ("head", "body", "name"),
    [
        (b"POST /bot1:x/editMessageText", b"chat_id=-5&message_id=7&text=a", "-5:7"),
        (b"POST /api/chat.update", b'{"channel": "D1", "ts": "12.5", "text": "a"}', "D1:12.5"),
        (b"PUT /open-apis/cardkit/v1/cards/77/elements/a/content", b'{"content": "a"}', ":77"),
        (b"PUT /v1.0/card/streaming", b'{"outTrackId": "t-0", "content": "a"}', ":t-0"),
    ],
)
def test_the_message_is_heard_however_it_is_cut(head: bytes, body: bytes, name: str):
    other = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
    said = head + b" HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    whole = Requests()
    assert list(whole.feed(other + said + other + said)) == [name, name]
    pieces = Requests()
    assert [found for byte in other + said for found in pieces.feed(bytes([byte]))] == [name]


def test_a_large_body_is_passed_over():
    requests = Requests()
    body = b"message_id=7&chat_id=5"
    assert not requests.feed(_FORM % (1 << 20))
    assert not requests.feed(bytes(1 << 20))
    assert list(requests.feed(_FORM % len(body) + body)) == ["5:7"]


def test_runs_of_one_turn_and_runs_at_once_are_seen(tmp_path: Path):
    file = tmp_path / "agent.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "CREATE TABLE runs (seq INTEGER PRIMARY KEY, thread_id, created_at, updated_at, metadata)"
        )
        rows = [
            ("one", 1.0, 2.0, '{"parley_turn": "a"}'),
            ("one", 2.5, 3.0, '{"parley_turn": "b"}'),
            ("two", 1.0, 2.0, '{"parley_turn": "c"}'),
            ("two", 1.5, 3.0, '{"parley_turn": "c"}'),
        ]
        connection.executemany(
            "INSERT INTO runs (thread_id, created_at, updated_at, metadata) VALUES (?, ?, ?, ?)", rows
        )
        connection.commit()
    found = runs(file)
    assert (found.count, found.doubled, found.at_once) == (4, ("c",), ("two",))
