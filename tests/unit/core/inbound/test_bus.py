"""A topic is ours from the message that began it, whatever becomes of that message."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.dead_letters import bury_items
from parley.core.inbound.bus import MessageBus
from parley.core.model.address import Conversation
from parley.core.model.errors import StoreUnavailable
from parley.core.model.options import BusyPolicy, ChannelOptions, CoreOptions, MentionPolicy
from parley.core.model.types import SessionSettings
from parley.store.sqlite import SqliteStore
from tests.contract.harness.unreliable_journal import UnreliableJournal
from tests.kit.doubles.core import Core, core, default_options, message, work
from tests.kit.waiting import until

TOPIC = Conversation("test", "group", "7")
OPTIONS = ChannelOptions(
    SessionSettings("agent"),
    allowed_users=frozenset({"ann", "bob"}),
    burst_window=0.0,
    mention=MentionPolicy.THREAD,
)


def options(busy: BusyPolicy = BusyPolicy.QUEUE) -> CoreOptions:
    return default_options(channels={"test": replace(OPTIONS, when_busy=busy)})


async def said(parley: Core, text: str, *, addressed: bool = False) -> bool:
    return await parley.say(text, conversation=TOPIC, private=False, addressed=addressed)


@pytest.mark.parametrize("busy", BusyPolicy)
async def test_what_follows_a_mention_is_ours_before_its_turn_begins(tmp_path: Path, busy: BusyPolicy):
    async with core(tmp_path, options=options(busy), working=False) as parley:
        assert not await said(parley, "before")
        assert await said(parley, "look", addressed=True)
        assert await said(parley, "at this")


async def test_what_follows_a_mention_is_ours_after_a_crash(tmp_path: Path):
    async with core(tmp_path, options=options(), working=False) as parley:
        await said(parley, "look", addressed=True)
    async with core(tmp_path, options=options()) as parley:
        assert await said(parley, "at this")
        assert await parley.channel.until_finals(2) == ["you said look", "you said at this"]
        assert await said(parley, "and this")


async def test_what_comes_while_a_mention_is_being_stored_is_ours(tmp_path: Path):
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        journal, bus = held(store)
        first = asyncio.create_task(bus.publish_inbound(in_topic("look", addressed=True)))
        await until(lambda: journal.attempts, "the mention is on its way to the store")
        second = asyncio.create_task(bus.publish_inbound(in_topic("at this")))
        await until(lambda: journal.attempts == 2, "what follows is on its way too")
        journal.holding.set()
        assert [await first, await second] == [True, True]


async def test_a_mention_that_could_not_be_stored_begins_nothing(tmp_path: Path):
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        journal, bus = held(store)
        journal.refusals = 1
        journal.holding.set()
        with pytest.raises(StoreUnavailable):
            await bus.publish_inbound(in_topic("look", addressed=True))
        assert not await bus.publish_inbound(in_topic("at this"))


def held(store: SqliteStore) -> tuple[UnreliableJournal, MessageBus]:
    journal = UnreliableJournal(store, lambda: None)
    journal.holding.clear()
    return journal, MessageBus(journal, {"test": OPTIONS})


def in_topic(text: str, *, addressed: bool = False):
    return message(text, conversation=TOPIC, private=False, addressed=addressed)


async def test_a_mention_that_is_stopped_before_its_turn_leaves_the_topic_ours(tmp_path: Path):
    async with core(tmp_path, options=options(), working=False) as parley:
        await said(parley, "look", addressed=True)
        (claim,) = await parley.journal.claim("turns/test", 1)  # so that no turn begins before the command
        await said(parley, "/stop", addressed=True)
        work(parley, time.time)
        await parley.channel.until_finals(1)
        await parley.journal.release(claim)
        assert await parley.nothing_waits("turns/test", TOPIC.key)
        assert await said(parley, "at this")


async def test_a_mention_that_is_given_up_leaves_the_topic_ours(tmp_path: Path):
    async with core(tmp_path, options=options(), working=False) as parley:
        await said(parley, "look", addressed=True)
        (claim,) = await parley.journal.claim("turns/test", 1)
        await bury_items(parley.journal, claim, claim.items, "on purpose")
        assert await said(parley, "at this")


async def test_a_chat_without_topics_gets_no_record_by_that(tmp_path: Path):
    async with core(tmp_path, options=options(), working=False) as parley:
        await parley.say("look")
        (claim,) = await parley.journal.claim("turns/test", 1)
        await bury_items(parley.journal, claim, claim.items, "on purpose")
        assert not (await parley.journal.get("thread/test:chat")).version
