"""What another node hears before a mention is stored is looked at once more, and follows it then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.inbound import follow_ups
from parley.core.inbound.bus import MessageBus
from parley.core.inbound.follow_ups import MOST_CHARACTERS, MOST_HELD, RECHECKS
from parley.core.inbound.turn_queue import BusySignal, load_queue
from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode
from parley.core.model.errors import StoreUnavailable
from parley.core.model.options import (
    BusyPolicy,
    ChannelOptions,
    ContextOptions,
    ContextScope,
    EditPolicy,
    MentionPolicy,
)
from parley.core.model.queues import busy_signal_queue
from parley.core.model.types import InboundMessage, SessionSettings
from parley.core.ports.journal import QueueItem
from parley.core.ports.telemetry import Acceptance, AcceptedMessage, NoTelemetry
from parley.core.state.conversations import ConversationRecord, conversation_document, load_conversation
from parley.core.state.heard_messages import decode_heard, heard_document_key
from parley.store.sqlite import SqliteStore
from tests.contract.harness.unreliable_journal import UnreliableJournal
from tests.kit.doubles.core import message
from tests.kit.machine import patience
from tests.kit.waiting import until

FIRST, LAST = RECHECKS
TOPIC = Conversation("test", "group", "7")
OPTIONS = ChannelOptions(
    SessionSettings("agent"),
    allowed_users=frozenset({"ann", "bob"}),
    burst_window=0.0,
    mention=MentionPolicy.THREAD,
)


class NodeJournal(UnreliableJournal):
    """One node's way to the store; it counts the looks at what waits, and can be away for reading."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store, lambda: None)
        self.looks = 0
        self.away = False

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        self.looks += 1
        if self.away:
            raise StoreUnavailable("away (on purpose)")
        return await super().waiting(queue, lane)


class Counts(NoTelemetry):
    """Notes what messages became."""

    def __init__(self) -> None:
        self.became: list[Acceptance] = []

    def message_accepted(self, message: AcceptedMessage) -> None:
        self.became.append(message.became)


class TwoNodes:
    """Two nodes on one store: `a` hears mentions, `b` what follows them, by a clock of ours."""

    def __init__(self, store: SqliteStore) -> None:
        self.store, self.now = store, 1000.0
        self.options = {"test": OPTIONS}
        self.journal, self.counts = NodeJournal(store), Counts()
        self.others = True
        self.a = MessageBus(store, self.options)
        self.b = MessageBus(
            self.journal,
            self.options,
            without_history={"test"},
            telemetry=self.counts,
            crossing=lambda: float(self.others),
            monotonic=lambda: self.now,
        )

    async def later(self, seconds: float = FIRST) -> None:
        self.now += seconds
        await self.b.follow_ups.look()

    async def queued(self) -> list[str]:
        return [each.message.text for each in (await load_queue(self.store, TOPIC)).edited]


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[TwoNodes]:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        yield TwoNodes(store)


def said(text: str, at: float, **changes: object) -> InboundMessage:
    return message(
        text, **({"conversation": TOPIC, "private": False, "addressed": False} | changes), sent_at=at
    )


def mention(at: float = 10.0, **changes: object) -> InboundMessage:
    return said("look", at, addressed=True, **changes)


async def test_what_follows_a_mention_that_is_still_being_stored_is_taken_as_if_it_came_late(nodes: TwoNodes):
    assert not await nodes.b.publish_inbound(said("at this", 10.001))
    assert not await nodes.b.publish_inbound(said("and this", 10.002))
    assert await nodes.a.publish_inbound(mention())
    await nodes.later(FIRST - 0.01)
    assert await nodes.queued() == ["look"]
    await nodes.later(0.01)
    assert await nodes.queued() == ["look", "at this", "and this"]
    assert nodes.counts.became == [Acceptance.IGNORED] * 2 + [Acceptance.TURN] * 2
    await nodes.later()
    assert await nodes.queued() == ["look", "at this", "and this"]


async def test_a_node_that_is_slow_is_waited_for_a_little(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.later()
    await nodes.a.publish_inbound(mention())
    await nodes.later(LAST - FIRST - 0.01)
    assert await nodes.queued() == ["look"]
    await nodes.later(0.01)
    assert await nodes.queued() == ["look", "at this"]


async def test_what_was_written_before_the_mention_stays_talk_of_others(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("lunch?", 9.999))
    await nodes.b.publish_inbound(said("at the same instant", 10.0))
    await nodes.a.publish_inbound(mention())
    await nodes.later()
    assert await nodes.queued() == ["look"]


async def test_within_one_second_the_platforms_numbers_count(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("lunch?", 10.0, id="group:4"))
    await nodes.b.publish_inbound(said("at this", 10.0, id="group:6"))
    await nodes.a.publish_inbound(mention(id="group:5"))
    await nodes.later()
    assert await nodes.queued() == ["look", "at this"]


async def test_without_a_mention_nothing_is_taken_and_nothing_stays_in_memory(nodes: TwoNodes):
    for number in range(50):
        await nodes.b.publish_inbound(said(f"talk {number}", 10.0 + number))
    looks = nodes.journal.looks
    await nodes.later()
    assert nodes.journal.looks - looks == 2  # one for each queue of the conversation, however much was said
    await nodes.later(LAST - FIRST)
    assert nodes.journal.looks - looks == 4
    assert nodes.b.follow_ups.held == 0
    assert await nodes.queued() == []


async def test_what_comes_again_meanwhile_is_taken_once(nodes: TwoNodes):
    follows = said("at this", 10.001)
    await nodes.b.publish_inbound(follows)
    await nodes.a.publish_inbound(mention())
    assert await nodes.a.publish_inbound(follows)
    await nodes.later()
    assert await nodes.queued() == ["look", "at this"]
    assert nodes.counts.became == [Acceptance.IGNORED, Acceptance.DUPLICATE]


async def test_what_is_taken_at_once_does_not_pass_what_is_held(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention())
    assert await nodes.b.publish_inbound(said("and this", 10.002))
    assert await texts_on_disk(nodes.store) == ["look", "at this", "and this"]
    assert nodes.b.follow_ups.held == 0


async def test_what_is_taken_at_once_waits_for_a_look_under_way(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention())
    nodes.journal.holding.clear()
    nodes.now += FIRST
    looking = asyncio.create_task(nodes.b.follow_ups.look())
    await until(lambda: nodes.journal.attempts, "what was held is on its way to the store")
    coming = asyncio.create_task(nodes.b.publish_inbound(said("and this", 10.002)))
    nodes.journal.holding.set()
    await asyncio.gather(looking, coming)
    assert await texts_on_disk(nodes.store) == ["look", "at this", "and this"]


async def texts_on_disk(store: SqliteStore) -> list[str]:
    return [decode(InboundMessage, each.body).text for each in await store.waiting("turns/test", TOPIC.key)]


@pytest.mark.parametrize(
    ("changes", "others", "mention_policy"),
    [
        ({}, False, MentionPolicy.THREAD),
        ({}, True, MentionPolicy.REQUIRED),
        ({"conversation": Conversation("test", "group")}, True, MentionPolicy.THREAD),
        ({"id": "group:7"}, True, MentionPolicy.THREAD),  # its topic begins with it
        ({"sender": User("test", "eve", "Eve")}, True, MentionPolicy.THREAD),
        ({"text": " "}, True, MentionPolicy.THREAD),
    ],
)
async def test_only_what_a_mention_would_change_is_held(
    nodes: TwoNodes, changes: dict[str, object], others: bool, mention_policy: MentionPolicy
):
    nodes.options["test"] = replace(OPTIONS, mention=mention_policy)
    nodes.others = others
    values = {"text": "at this"} | changes
    await nodes.b.publish_inbound(said(str(values.pop("text")), 10.001, **values))
    assert nodes.b.follow_ups.held == 0


async def test_what_is_for_us_is_not_held(nodes: TwoNodes):
    await nodes.b.publish_inbound(mention())
    await nodes.b.publish_inbound(said("at this", 10.001))
    assert nodes.b.follow_ups.held == 0


async def test_who_is_let_out_meanwhile_is_not_answered(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention(sender=User("test", "bob", "Bob")))
    nodes.options["test"] = replace(OPTIONS, allowed_users=frozenset({"bob"}))
    await nodes.later()
    assert await nodes.queued() == ["look"]


async def test_a_mention_that_waits_to_be_let_in_counts(nodes: TwoNodes):
    nodes.options["test"] = replace(OPTIONS, when_busy=BusyPolicy.REJECT)
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention())
    await nodes.later()
    waiting = await nodes.store.waiting(busy_signal_queue("test"), TOPIC.key)
    assert [decode(BusySignal, each.body).message.text for each in waiting] == ["look", "at this"]


async def test_a_mention_that_is_answered_within_the_moment_counts(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    _, document = await load_conversation(nodes.store, TOPIC)
    await nodes.store.set(conversation_document(document, ConversationRecord(last=(mention(),))))
    await nodes.later()
    assert await nodes.queued() == ["at this"]


async def test_a_mere_command_begins_nothing(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(said("/status", 10.0, addressed=True))
    _, document = await load_conversation(nodes.store, TOPIC)
    await nodes.store.set(conversation_document(document, ConversationRecord(generation=1)))
    await nodes.later()
    assert await nodes.queued() == []


async def test_an_edit_within_the_moment_follows_its_message(nodes: TwoNodes):
    nodes.options["test"] = replace(OPTIONS, on_edit=EditPolicy.RERUN)
    first = said("at thsi", 10.001)
    await nodes.b.publish_inbound(first)
    await nodes.b.publish_inbound(said("at this", 10.2, edits=first.id))
    await nodes.a.publish_inbound(mention())
    await nodes.later()
    assert await nodes.queued() == ["look", "at this"]


async def test_a_command_that_follows_a_mention_waits_among_commands(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("/status", 10.001))
    await nodes.a.publish_inbound(mention())
    await nodes.later()
    assert len(await nodes.store.waiting("commands/test", TOPIC.key)) == 1


async def test_while_the_store_is_away_it_is_looked_for_again(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention())
    nodes.journal.away = True
    await nodes.later(LAST)
    await nodes.later(LAST)
    assert nodes.b.follow_ups.held == 1
    nodes.journal.away = False
    await nodes.later()
    assert await nodes.queued() == ["look", "at this"]


async def test_it_is_not_held_for_ever(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    nodes.journal.away = True
    await nodes.later(61.0)
    assert nodes.b.follow_ups.held == 0


async def test_a_stop_looks_once_more_before_the_time(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention())
    await nodes.b.follow_ups.drain(patience(5.0))
    assert await nodes.queued() == ["look", "at this"]


async def test_memory_is_bounded(nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(follow_ups, "MOST_HELD", 3)
    await hear(nodes.b, [said("talk", 10.0) for _ in range(5)])
    assert nodes.b.follow_ups.held == 3
    await nodes.later()
    await nodes.later(LAST)
    monkeypatch.setattr(follow_ups, "MOST_HELD", MOST_HELD)
    monkeypatch.setattr(follow_ups, "MOST_CHARACTERS", 10)
    await hear(nodes.b, [said("talk", 10.0) for _ in range(5)])
    assert nodes.b.follow_ups.held == 2
    assert MOST_CHARACTERS < 10_000_000


async def hear(bus: MessageBus, messages: Sequence[InboundMessage]) -> None:
    for each in messages:
        await bus.publish_inbound(each)


async def test_what_is_held_is_kept_for_a_later_mention_at_once(nodes: TwoNodes):
    nodes.options["test"] = replace(OPTIONS, earlier=ContextOptions(scope=ContextScope.THREAD))
    await nodes.b.publish_inbound(said("at this", 10.001))
    heard = decode_heard(await nodes.store.get(heard_document_key(TOPIC)))
    assert [each.text for each in heard.messages] == ["at this"]


async def test_the_task_looks_when_the_time_has_come(nodes: TwoNodes):
    await nodes.b.publish_inbound(said("at this", 10.001))
    await nodes.a.publish_inbound(mention())
    nodes.now += FIRST

    async def is_queued() -> bool:
        return "at this" in await nodes.queued()

    task = asyncio.create_task(nodes.b.follow_ups.run())
    try:
        await until(is_queued, "it is looked at")
    finally:
        task.cancel()
