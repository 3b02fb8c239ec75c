"""Messages that have not begun are worked as people wrote them; a turn that has begun stays the first."""

from __future__ import annotations

from parley.core.inbound.batching import decode_messages, in_written_order
from parley.core.inbound.turn_queue import queue_of_items
from parley.core.model.codec import encode
from parley.core.ports.journal import QueueItem
from parley.core.state.turn_record import TurnRecord, TurnStage
from tests.kit.doubles.core import message


def item(number: int, sent_at: float, note: TurnRecord | None = None, **changes: object) -> QueueItem:
    body = encode(message(f"said at {sent_at}", sent_at=sent_at, **changes))
    return QueueItem(number, "turns/test", "test:chat", body, encode(note) if note else "", 0, 1, 50.0)


def ordered(*items: QueueItem) -> list[int]:
    return [each.item.id for each in in_written_order(decode_messages(items))]


def test_they_are_ordered_by_the_platforms_time():
    assert ordered(item(1, 8.0), item(2, 3.0), item(3, 13.0)) == [2, 1, 3]


def test_what_was_written_at_once_stays_as_it_was_stored():
    assert ordered(item(1, 8.0), item(2, 8.0)) == [1, 2]


def test_nothing_is_moved_around_what_refers_to_another():
    assert ordered(item(1, 8.0), item(2, 3.0, retries="again")) == [1, 2]


def test_the_turn_that_has_begun_is_first_whatever_its_number():
    running = TurnRecord(TurnStage.RUNNING, items=(3, 1))
    queue = queue_of_items([item(1, 8.0, TurnRecord(items=(1,))), item(2, 9.0), item(3, 3.0, running)])
    assert [each.id for each in queue.items] == [3, 1, 2]
    assert queue.turn == running
    assert [each.id for each in queue.behind(running)] == [queue.messages[2].message.id]
