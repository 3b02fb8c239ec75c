"""Turns that bots cause."""

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.bots import BotLimits, TriggerRule
from parley.core.model.options import CoreOptions
from parley.core.model.questions import Option, Question
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from tests.kit.doubles.core import RecordingMemory, ScriptedAgent, core, default_options

PAGER = User("test", "B1", "Pager", bot="A1")


def options(**more) -> CoreOptions:
    given = default_options()
    channel = replace(given.channels["test"], burst_window=0.0, bots=frozenset({"A1"}), **more)
    return replace(given, channels={"test": channel})


async def test_a_listed_bot_is_answered_and_no_other(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        await parley.say("disk full", sender=PAGER)
        await parley.channel.until_finals(1)
        await parley.say("other", sender=replace(PAGER, id="B2", bot="A2"))
        await parley.say("hi")
        await parley.channel.until_finals(2)
        assert [request.text for request in parley.agent.requests] == ["disk full", "hi"]


async def test_bots_that_answer_each_other_stop_until_a_person_speaks(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(bot_limits=BotLimits(10, 2))) as parley:
        for number in range(4):
            await parley.say(f"alert {number}", sender=PAGER)
        await parley.say("stop it")
        await parley.channel.until_finals(3)
        await parley.say("alert again", sender=PAGER)
        await parley.channel.until_finals(4)
        texts = [request.text for request in parley.agent.requests]
        assert texts == ["alert 0", "alert 1", "stop it", "alert again"]


async def test_the_log_says_once_that_a_bot_is_not_answered_until_it_is_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    limits = options(bot_limits=BotLimits(100, 1))

    def told() -> int:
        return sum("is not answered" in line for line in caplog.messages)

    async def say(*texts: str) -> None:
        for text in texts:
            await parley.say(text, sender=PAGER)

    async with core(tmp_path, options=limits) as parley:
        await say("one", "two", "three")
        await parley.channel.until_finals(1)
    async with core(tmp_path, options=limits) as parley:
        await say("four", "five")
        await parley.say("stop it")
        await parley.channel.until_finals(1)
        assert told() == 1, "also after a restart"
        await say("six", "seven", "eight")
        await parley.say("and now?")
        await parley.channel.until_finals(3)
        assert [request.text for request in parley.agent.requests] == ["stop it", "six", "and now?"]
        assert told() == 2


async def test_a_bot_that_copies_each_answer_into_a_new_thread_comes_to_an_end(tmp_path: Path) -> None:
    """As a bridge does between two chats: no conversation has more than one turn."""
    now, most = time.time() // 3600 * 3600, 10
    limits = options(bot_limits=BotLimits(per_minute=1))
    async with core(tmp_path, options=limits, clock=lambda: now) as parley:
        for number in range(most):
            thread = Conversation("test", "chat", f"thread {number}")
            await parley.say(f"copied {number}", sender=PAGER, conversation=thread)
            await parley.channel.until_finals(number + 1)
        thread = Conversation("test", "chat", "one more")
        await parley.say("copied again", sender=PAGER, conversation=thread)
        await parley.say("hi", conversation=thread)
        await parley.say("elsewhere", sender=PAGER, conversation=Conversation("test", "other"))
        await parley.channel.until_finals(most + 2)
        assert {request.text for request in parley.agent.requests[most:]} == {"hi", "elsewhere"}
        now += 3600
        await parley.say("an hour later", sender=PAGER, conversation=Conversation("test", "chat", "late"))
        await parley.channel.until_finals(most + 3)


async def test_a_bot_has_no_commands(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        await parley.say("/new", sender=PAGER)
        await parley.channel.until_finals(1)
        assert [request.text for request in parley.agent.requests] == ["/new"]


async def test_nothing_is_learned_from_a_bot_and_nothing_recalled_for_it(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        memory = parley.memory
        assert isinstance(memory, RecordingMemory)
        await parley.say("remember that I am Ann", sender=PAGER)
        await parley.channel.until_finals(1)
        assert (parley.agent.requests[0].memory, memory.turns) == ("", [])
        await parley.say("hi")
        await parley.channel.until_finals(2)
        assert parley.agent.requests[1].memory
        assert [turn.user_text for turn in memory.turns] == ["hi"]


async def asks(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    yield RunStarted(RunRef(request.thread, "run"))
    if request.answer is None:
        question = Question("q", "Restart it?", (Option("approve", "Approve"), Option("reject", "Reject")))
        yield RunEnded(Outcome.ASKED, "", questions=(question,))
    else:
        yield RunEnded(Outcome.ANSWERED, "restarted")


async def test_a_bot_decides_nothing_and_who_may_talk_decides_for_it(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(), agent=ScriptedAgent(asks)) as parley:
        await parley.say("disk full", sender=PAGER)
        asked = await parley.channel.until_finals(2)
        assert "Restart it?" in asked[-1]
        await parley.say("approve", sender=PAGER)
        await parley.say("approve")
        texts = await parley.channel.until_finals(3)
        assert "restarted" in texts
        assert len(parley.agent.requests) == 2


@pytest.mark.parametrize("by", [PAGER, User("test", "ann")])
async def test_a_rule_needs_no_mention(tmp_path: Path, by: User) -> None:
    rule = TriggerRule(lambda text: "sev1" in text, frozenset({by.id}))
    async with core(tmp_path, options=options(triggers=(rule,))) as parley:
        await parley.say("nothing of note", sender=by, private=False, addressed=False)
        await parley.say("a sev1 alert", sender=by, private=False, addressed=False)
        await parley.channel.until_finals(1)
        assert [request.text for request in parley.agent.requests] == ["a sev1 alert"]
