"""A message is taken back before anybody begins to answer it, or it is answered: never both, nor neither."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.inbound.batching import decode_messages
from parley.core.inbound.withdrawal import recall_message, withdraw_message
from parley.core.model.address import Conversation, User
from parley.core.model.errors import LaneLost
from parley.core.model.options import BusyPolicy
from parley.core.model.queues import turn_queue
from parley.core.state.turn_record import TurnCheckpoint, TurnStage
from parley.core.turns.batch_collector import collect_batch
from tests.kit.doubles.core import core, work
from tests.unit.core.inbound.test_busy_policy import Gated, options, until_half

HERE = Conversation("test", "chat")
ANN, BOB = User("test", "ann", "Ann"), User("test", "bob", "Bob")


async def test_a_queued_message_is_taken_back_once_and_never_answered(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.say("two", id="m2")
        await parley.say("two, better", id="e2", edits="m2")
        await parley.say("three", id="m3")
        assert not await withdraw_message(parley.journal, HERE, "m2", BOB), "it is Ann's"
        assert await withdraw_message(parley.journal, HERE, "m2", ANN)
        assert not await withdraw_message(parley.journal, HERE, "m2", ANN)
        agent.through.set()
        assert await parley.channel.until_finals(2) == ["all of long", "you said three"]
    async with core(tmp_path) as parley:  # nor after a restart
        await parley.say("four", id="m4")
        assert await parley.channel.until_finals(1) == ["you said four"]


async def test_what_is_being_answered_is_not_taken_back(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent, options=options(BusyPolicy.MERGE), working=False) as parley:
        await parley.say("long", id="m1")
        await parley.say("and more", id="m2")
        work(parley, time.time)
        await until_half(parley, "long\nand more")
        for each in ("m1", "m2"):
            assert not await withdraw_message(parley.journal, HERE, each, ANN)
        agent.through.set()
        assert await parley.channel.until_finals(1) == ["all of long\nand more"]


async def test_taken_back_as_its_turn_begins_it_is_left_out(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(BusyPolicy.MERGE), working=False) as parley:
        await parley.say("one", id="m1")
        await parley.say("two", id="m2")
        (claim,) = await parley.journal.claim(turn_queue("test"), 1)
        burst = await collect_batch(parley.services, claim)
        assert [each.message.id for each in burst] == ["m1", "m2"]
        log = TurnCheckpoint(parley.journal, claim, burst[0].item)
        await log.write(stage=TurnStage.RUNNING, items=tuple(each.item.id for each in burst))
        assert await withdraw_message(parley.journal, HERE, "m2", ANN)
        with pytest.raises(LaneLost):
            await log.claim_items([each.item for each in burst[1:]])
        left = await collect_batch(
            parley.services, replace(claim, items=await parley.journal.waiting(claim.queue, claim.lane))
        )
        assert [each.message.id for each in left] == ["m1"]
        assert [
            each.message.id for each in decode_messages(await parley.journal.waiting(claim.queue, claim.lane))
        ] == ["m1"]


async def test_a_recalled_question_leaves_the_queue_or_stops_its_run(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent) as parley:
        await parley.say("long", id="m1")
        await until_half(parley)
        await parley.say("two", id="m2")
        await parley.say("three", id="m3")
        for each in ("m2", "m1", "m1", "m9"):
            await recall_message(parley.journal, HERE, each)
        stopped, three = await parley.channel.until_finals(2)
        assert "all of long" not in stopped
        assert three == "you said three"


async def test_a_recall_that_is_noted_stops_the_run_after_a_crash(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent) as parley:
        await parley.say("long", id="m1")
        await until_half(parley)
        await parley.crash()
        await recall_message(parley.journal, HERE, "m1")
        work(parley, time.time)
        (stopped,) = await parley.channel.until_finals(1)
        assert "all of long" not in stopped
