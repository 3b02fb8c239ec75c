"""A mention in a group brings what was said before it: once, within a deadline, and through crashes."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.earlier_messages import EarlierMessage, MessagePosition
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected
from parley.core.model.options import BusyPolicy, ContextOptions, ContextScope, CoreOptions, MentionPolicy
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.state.turn_record import read_turn_record
from tests.kit.doubles.core import (
    Core,
    RecordingChannel,
    ScriptedAgent,
    core,
    core_on,
    default_options,
    echo,
)
from tests.kit.store.gate import Gate, stopping
from tests.kit.waiting import until

TEAM = Conversation("test", "team")
TOPIC = Conversation("test", "team", "7")
ANN, BOB, EVE = (User("test", name.lower(), name) for name in ("Ann", "Bob", "Eve"))


def options(scope: ContextScope = ContextScope.THREAD, **more: object) -> CoreOptions:
    channel = default_options().channels["test"]
    changed = replace(channel, earlier=ContextOptions(scope), **more)  # type: ignore[arg-type]
    made = default_options(channels={"test": changed}, max_message_age=0.0)
    return replace(made, context_patience=0.05)


def reads(*history: EarlierMessage) -> RecordingChannel:
    """A channel whose platform tells what was said before."""
    channel = RecordingChannel()
    channel.capabilities = replace(channel.capabilities, history=True)
    channel.history = list(history)
    return channel


def said(text: str, at: float, sender: User = BOB) -> EarlierMessage:
    return EarlierMessage(text, sender, text, at)


async def hear(parley: Core, text: str, at: float, sender: User = BOB, **more: object) -> bool:
    """Somebody writes something that is not for us."""
    values: dict[str, object] = {"conversation": TEAM, "private": False, "addressed": False, "id": text}
    return await parley.say(text, sent_at=at, sender=sender, **(values | more))


async def mention(parley: Core, text: str, at: float, **more: object) -> bool:
    return await hear(parley, text, at, **({"addressed": True, "sender": ANN} | more))  # type: ignore[arg-type]


def brought(request: RunRequest) -> list[str]:
    """The texts that a run is given above its message."""
    return [json.loads(line)["text"] for line in request.earlier.split("\n")[1:]]


async def test_a_mention_brings_what_was_heard_since_the_last_one(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        assert not await hear(parley, "the door is open", 1.0)
        assert not await hear(parley, "I may not talk", 2.0, EVE)
        await mention(parley, "what is open?", 3.0)
        await parley.channel.until_finals(1)
        await hear(parley, "I closed it", 4.0)
        await hear(parley, "/status", 4.0)
        await mention(parley, "and now?", 5.0)
        await parley.channel.until_finals(2)
        first, second = parley.agent.requests
        assert (brought(first), first.text) == (["the door is open"], "what is open?")
        assert (brought(second), second.text) == (["I closed it"], "and now?")
        assert [turn.user_text for turn in await parley.memory.until_turns(2)] == [
            "what is open?",
            "and now?",
        ]
        assert not any("open" in text for query in parley.memory.occasions for text in query.messages[1:])


@pytest.mark.parametrize(("paired", "heard"), [("test:bob", ["from Bob"]), ("slack:bob", [])])
async def test_a_second_app_of_a_platform_goes_by_its_own_pairings(
    tmp_path: Path, paired: str, heard: list[str]
) -> None:
    """A platform's code knows people by the platform's name, and not by the section of its app."""
    bob, carl = User("slack", "bob", "Bob"), User("slack", "carl", "Carl")
    channel = reads(said("from Bob", 1.0, bob), said("from Carl", 1.5, carl))
    own = options(pairing=True, allowed_users=frozenset({"ann"}))
    async with core(tmp_path, options=own, channel=channel) as parley:
        pairing = parley.services.pairing
        code = await pairing.ask(User(*paired.split(":")))
        assert code is not None
        assert await pairing.approve(code, "an administrator")
        await mention(parley, "what is up?", 2.0)
        await parley.channel.until_finals(1)
        assert brought(parley.agent.requests[0]) == heard


async def test_what_is_said_while_a_run_is_on_comes_with_the_next_mention(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def slow(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        await gate.wait()
        async for event in echo(agent, request):
            yield event

    async with core(tmp_path, agent=ScriptedAgent(slow), options=options()) as parley:
        await mention(parley, "one", 1.0)
        await parley.agent.until_asked()
        await hear(parley, "meanwhile", 2.0)
        gate.set()
        await parley.channel.until_finals(1)
        await mention(parley, "two", 3.0)
        await parley.channel.until_finals(2)
        assert brought(parley.agent.requests[1]) == ["meanwhile"]


async def test_nothing_is_kept_or_read_where_it_is_off_in_private_or_all_is_heard(tmp_path: Path) -> None:
    off = options(ContextScope.OFF)
    async with core(tmp_path / "off", options=off, channel=reads(said("before", 1.0))) as parley:
        await mention(parley, "hi", 2.0)
        await parley.channel.until_finals(1)
        assert not parley.channel.history_requests
    never = options(mention=MentionPolicy.NEVER)
    async with core(tmp_path / "on", options=never, channel=reads(said("before", 1.0))) as parley:
        await parley.say("private", sent_at=2.0)
        await hear(parley, "in a talk with us", 3.0)
        await parley.channel.until_finals(2)
        assert not parley.channel.history_requests
        assert [request.earlier for request in parley.agent.requests] == ["", ""]
    async with core(tmp_path / "deaf", options=off) as parley:
        await hear(parley, "not kept", 1.0)
        assert not await parley.journal.list("heard/")
    async with core(tmp_path / "reads", options=options(), channel=reads()) as parley:
        await hear(parley, "the platform keeps it", 1.0)
        assert not await parley.journal.list("heard/")


async def test_a_platform_is_asked_for_what_came_after_the_last_mention(tmp_path: Path) -> None:
    channel = reads(said("old", 1.0), said("new", 3.0), said("stranger", 3.5, EVE))
    async with core(tmp_path, options=options(ContextScope.CHAT), channel=channel) as parley:
        await mention(parley, "one", 2.0, conversation=TOPIC)
        await mention(parley, "two", 4.0, conversation=TOPIC)
        await channel.until_finals(2)
        one, two = channel.history_requests
        assert (one.conversation, one.whole_chat) == (TOPIC, True)
        assert (one.after, one.before) == (MessagePosition(), MessagePosition("one", 2.0))
        assert (two.after, two.before) == (MessagePosition("one", 2.0), MessagePosition("two", 4.0))
        assert [brought(request) for request in parley.agent.requests] == [["old"], ["new"]]


async def test_a_new_topic_brings_the_chat_above_it_where_that_is_wished(tmp_path: Path) -> None:
    for scope, expected in ((ContextScope.THREAD, []), (ContextScope.CHAT, ["in the chat"])):
        async with core(tmp_path / scope, options=options(scope)) as parley:
            await hear(parley, "in the chat", 1.0)
            await mention(parley, "new topic", 2.0, conversation=TOPIC)
            await parley.channel.until_finals(1)
            assert brought(parley.agent.requests[0]) == expected


async def test_after_new_only_what_follows_is_brought(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        await hear(parley, "before", 1.0)
        await mention(parley, "/new", 2.0)
        await parley.channel.until_finals(1)
        await hear(parley, "after", 3.0)
        await mention(parley, "go", 4.0)
        await parley.channel.until_finals(2)
        assert brought(parley.agent.requests[0]) == ["after"]


async def test_a_turn_that_runs_again_is_given_the_same(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        await hear(parley, "before", 1.0)
        await mention(parley, "go", 2.0)
        await parley.channel.until_finals(1)
        await hear(parley, "after", 3.0)
        await mention(parley, "/retry", 4.0)
        await parley.channel.until_finals(2)
        again = parley.agent.requests[1]
        assert again.retried
        assert brought(again) == ["before"]
        await mention(parley, "next", 5.0)
        await parley.channel.until_finals(3)
        assert brought(parley.agent.requests[2]) == ["after"]


async def test_what_a_run_that_was_never_made_was_asked_is_not_lost(tmp_path: Path) -> None:
    async def broken(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if request.text == "one":
            yield RunEnded(Outcome.FAILED, error="no run")
            return
        async for event in echo(agent, request):
            yield event

    async with core(tmp_path, agent=ScriptedAgent(broken), options=options()) as parley:
        await hear(parley, "before", 1.0)
        await mention(parley, "one", 2.0)
        await parley.channel.until_finals(1)
        await mention(parley, "two", 3.0)
        await parley.channel.until_finals(2)
        assert brought(parley.agent.requests[1]) == ["before"]


@pytest.mark.parametrize(
    "error", [ChannelUnavailable("away"), DeliveryRejected("missing_scope: groups:history")]
)
async def test_a_turn_goes_on_where_reading_fails(
    tmp_path: Path, error: ChannelUnavailable, caplog: pytest.LogCaptureFixture
) -> None:
    channel = reads(said("before", 1.0))
    channel.history_errors = [error]
    with caplog.at_level(logging.WARNING):
        async with core(tmp_path, options=options(), channel=channel) as parley:
            await mention(parley, "hi", 2.0)
            assert await channel.until_finals(1) == ["you said hi"]
            assert parley.agent.requests[0].earlier == ""
    assert str(error) in caplog.text


async def test_a_turn_does_not_wait_for_a_slow_platform(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    channel = reads(said("before", 1.0))
    channel.history_gate = asyncio.Event()
    async with core(tmp_path, options=options(), channel=channel) as parley:
        await mention(parley, "hi", 2.0)
        assert await channel.until_finals(1) == ["you said hi"]
        assert parley.agent.requests[0].earlier == ""
    assert "took too long" in caplog.text


async def test_a_burst_of_several_people_knows_each_message_once(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def slow(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        await gate.wait()
        async for event in echo(agent, request):
            yield event

    channel = reads(*(said(text, at) for text, at in (("a", 1.0), ("two", 3.0), ("b", 4.0), ("three", 5.0))))
    merging = options(when_busy=BusyPolicy.MERGE)
    async with core(tmp_path, agent=ScriptedAgent(slow), options=merging, channel=channel) as parley:
        await mention(parley, "one", 2.0)
        await parley.agent.until_asked()
        await mention(parley, "two", 3.0)
        await mention(parley, "three", 5.0, sender=BOB)
        gate.set()
        await channel.until_finals(2)
        await mention(parley, "four", 6.0)
        await channel.until_finals(3)
        assert [brought(request) for request in parley.agent.requests] == [["a"], [], ["b"]]


async def test_what_others_said_goes_from_the_turn_with_its_answer(tmp_path: Path) -> None:
    agent = ScriptedAgent(_stuck)
    async with core(tmp_path, agent=agent, options=options()) as parley:
        await hear(parley, "the secret of Bob", 1.0)
        await mention(parley, "hi", 2.0)
        await agent.until_asked()
        (item,) = await parley.journal.waiting("turns/test", TEAM.key)
        assert "the secret of Bob" in read_turn_record(item).context
    async with core(tmp_path, options=options()) as parley:
        await parley.channel.until_finals(1)
        await until(lambda: parley.nothing_waits("turns/test", TEAM.key), "the turn is done")
        notes = [kept.item.note for kept in (await parley.journal.search([], [TEAM.key])).items]
        assert notes
        assert not any("the secret of Bob" in note for note in notes)


async def _stuck(agent: ScriptedAgent, request: RunRequest) -> AsyncGenerator[RunEvent, None]:
    yield RunStarted(RunRef(request.thread, "run-1"))
    await asyncio.Event().wait()


async def test_a_context_survives_a_crash_before_any_write(tmp_path: Path) -> None:
    crashes = 0
    while await _crashed(tmp_path / str(crashes), crashes):
        crashes += 1
    assert crashes >= 4


async def _crashed(folder: Path, writes: int) -> bool:
    """Whether so many writes did not see the turn through. A run that could have been made is asked for with
    the same words after the crash, although the platform tells something else then.
    """
    gate, made = Gate(), ScriptedAgent()
    before = reads(said("as it was", 1.0))
    async with (
        stopping(gate).open(folder / "parley.db") as store,
        core_on(store, folder, made, before, options(), working=False) as parley,
    ):
        await mention(parley, "hi", 2.0)
        gate.left = writes
        parley.task = asyncio.create_task(parley.manager.run())
        stopped = await _first(gate.stopped, parley)
    asked = [request.earlier for request in made.requests]
    later, again = reads(said("as it reads now", 1.0)), ScriptedAgent()
    async with core(folder, agent=again, channel=later, options=options()) as parley:
        await mention(parley, "next", 3.0)
        await later.until(lambda: "you said next" in later.texts)
    after = [request.earlier for request in again.requests if request.text == "hi"]
    assert len({*asked, *after}) == 1
    assert len(before.history_requests) <= 1
    assert not (asked and later.history_requests and later.history_requests[0].before.id == "hi")
    assert ["you said hi"] in (before.texts, later.texts[:-1])
    return stopped


async def _first(stopped: asyncio.Event, parley: Core) -> bool:
    """Whether the gate closed before the answer was shown and its turn was done."""

    async def done() -> None:
        await parley.memory.until_turns(1)
        await until(lambda: parley.nothing_waits("turns/test", TEAM.key), "the turn is done")

    tasks = [asyncio.ensure_future(each) for each in (stopped.wait(), done())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    closed = tasks[0].done()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return closed
