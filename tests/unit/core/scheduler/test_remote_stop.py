"""Stopping a turn that another node works."""

from __future__ import annotations

import pytest

from parley.core.inbound.turn_queue import ConversationQueue, queue_of_items
from parley.core.model.address import Conversation
from parley.core.model.codec import encode
from parley.core.ports.journal import QueueItem
from parley.core.ports.pubsub import NULL_NOTIFIER, Subscriber
from parley.core.scheduler.remote_stop import RemoteStop
from parley.core.state.turn_record import TurnRecord, TurnStage

HERE, THERE = Conversation("test", "here"), Conversation("test", "there")


class Said:
    """News that nobody hears; keeps what was told."""

    shared = True
    deaf = False

    def __init__(self) -> None:
        self.told: list[str] = []

    async def publish(self, topic: str, text: str) -> None:
        self.told.append(text)

    def subscribe(self, topic: str, follower: Subscriber) -> None:
        """The tests call the follower themselves."""


class Turn:
    def __init__(self) -> None:
        self.stopped = 0

    def stop(self) -> bool:
        self.stopped += 1
        return True


def waiting(stage: TurnStage | None) -> ConversationQueue:
    note = "" if stage is None else encode(TurnRecord(stage=stage, items=(1,)))
    return queue_of_items([QueueItem(1, "turns/test", THERE.key, "", note, 0, 1, 0.0)])


async def test_whoever_works_it_is_asked():
    news = Said()
    assert await RemoteStop(news, {}).ask(THERE, waiting(TurnStage.RUNNING))
    assert news.told == [THERE.key]


@pytest.mark.parametrize("stage", [None, TurnStage.ANSWERED])
async def test_nobody_is_asked_where_no_run_is_on(stage: TurnStage | None):
    news = Said()
    assert not await RemoteStop(news, {}).ask(THERE, waiting(stage))
    assert not await RemoteStop(news, {}).ask(THERE, queue_of_items(()))
    assert news.told == []


async def test_a_node_that_is_alone_asks_nobody():
    assert not await RemoteStop(NULL_NOTIFIER, {}).ask(THERE, waiting(TurnStage.RUNNING))


def test_only_the_turn_that_is_meant_is_stopped():
    here, there = Turn(), Turn()
    stops = RemoteStop(Said(), {HERE.key: here, THERE.key: there})
    stops.on_message(THERE.key)
    stops.on_message("test:unknown")
    stops.on_gap()
    assert (here.stopped, there.stopped) == (0, 1)
