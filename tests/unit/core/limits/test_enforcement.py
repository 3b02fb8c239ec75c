"""Limits on turns, tokens and costs: who is kept from a run, what they are told, and what /usage shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC
from functools import partial
from pathlib import Path

import pytest

from parley.core.limits.rules import LimitSubject, day_window
from parley.core.model.address import Conversation, User, account_key
from parley.core.model.errors import AgentRefused, DeliveryRejected
from parley.core.model.limits import LimitCaps, LimitOptions, LimitScope
from parley.core.model.options import CoreOptions
from parley.core.model.questions import AnswerKind, InterruptAnswer, Option, Question
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.model.usage import TokenPrice, TokenUsage, Usage
from parley.core.ports.journal import CounterIncrement
from tests.kit.doubles.core import NO_EVENTS, Core, RecordingChannel, ScriptedAgent, core, default_options
from tests.kit.waiting import until

ANN, BOB = User("test", "ann", "Ann"), User("test", "bob", "Bob")
ANNS = LimitSubject("", ("test:ann",), "", "")
NOON = 1_800_014_400.0 // 86_400 * 86_400 + 43_200.0
REFUSED = "You have reached your limit"


class Clock:
    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def limited(admins: frozenset[str] = frozenset(), **changes: object) -> CoreOptions:
    channel = replace(default_options().channels["test"], admins=admins)
    limits = LimitOptions(**changes)  # type: ignore[arg-type]
    return default_options(channels={"test": channel}, limits=limits)


def metered(*tokens: TokenUsage) -> ScriptedAgent:
    """An agent whose every run takes these."""

    async def play(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}", usage=tokens)

    return ScriptedAgent(play)


class Talk:
    """People who write, and read what comes."""

    def __init__(self, parley: Core, clock: Clock) -> None:
        self.parley, self._clock = parley, clock

    async def ask(self, text: str = "hi", sender: User = ANN, chat: str = "chat", **more) -> str:
        """The answer; "" where nothing is said."""
        place = Conversation("test", chat)
        before = len(self.parley.channel.finals)
        await self.parley.say(text, sender=sender, conversation=place, sent_at=self._clock(), **more)
        await self.until_done(place)
        return "\n".join(self.parley.channel.texts[before:])

    async def until_done(self, place: Conversation) -> None:
        """Wait until nothing waits there."""
        for queue in ("turns/test", "commands/test"):
            await until(partial(self.parley.nothing_waits, queue, place.key), f"{place.key} is answered")

    async def usage(self, sender: User = ANN, **more) -> str:
        return await self.ask("/usage", sender, **more)


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def test_a_person_is_kept_to_turns_a_minute_and_told_until_when(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_minute=2), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        clock.now += 15
        assert [await talk.ask("1"), await talk.ask("2")] == ["you said 1", "you said 2"]
        refusal = await talk.ask("3")
        assert refusal == (
            "⏳ You have reached your limit: 2 of 2 turns a minute. This message was not answered. "
            "I accept no messages from you until the limit resets in 45 s."
        )
        clock.now += 45
        assert await talk.ask("4") == "you said 4"
        assert [request.text for request in parley.agent.requests] == ["1", "2", "4"]


async def test_others_and_commands_are_not_kept_back(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=1), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        await talk.ask("1")
        assert REFUSED in await talk.ask("2", chat="elsewhere")
        assert await talk.ask("3", BOB) == "you said 3"
        assert "Nothing is running" in await talk.ask("/stop")
        assert "1 of 1 turns a day" in await talk.usage()


async def test_the_hours_of_a_day_are_one_limit(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=3), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        for text in "123":
            assert await talk.ask(text) == f"you said {text}"
            clock.now += 3600
        assert REFUSED in await talk.ask("4")
        assert "3 of 3 turns a day" in await talk.usage()
        clock.now += 9 * 3600  # midnight
        assert await talk.ask("5") == "you said 5"
        usage = await talk.usage()
        assert "1 of 3 turns a day" in usage
        assert "Last 30 days: turns: 4" in usage


async def test_what_an_earlier_parley_counted_by_the_day_counts(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=3), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        whole = CounterIncrement("account/test:ann/day/2027-01-15", 9e9, Usage(turns=2))
        assert await parley.journal.tally([whole])
        assert await talk.ask("3") == "you said 3"
        assert REFUSED in await talk.ask("4")
        assert "3 of 3 turns a day" in await talk.usage()


async def test_a_flood_is_refused_once_and_delays_nobody(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_minute=3), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        for number in range(100):
            await parley.say(f"<{number}>", sent_at=clock())
        assert await talk.ask("hello", BOB, "elsewhere") == "you said hello"
        await talk.until_done(Conversation("test", "chat"))
        told = [text for text in parley.channel.texts if REFUSED in text]
        assert len(told) == 1
        assert [request.text for request in parley.agent.requests if request.text != "hello"] == [
            "<0>",
            "<1>",
            "<2>",
        ]
        clock.now += 60
        assert await talk.ask("later") == "you said later"


async def test_a_flood_that_waits_for_its_run_delays_nobody(tmp_path: Path, clock: Clock) -> None:
    gate = asyncio.Event()

    async def slow(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        if request.person.id == "ann":
            await gate.wait()
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")

    async with core(tmp_path, agent=ScriptedAgent(slow), clock=clock) as parley:
        talk = Talk(parley, clock)
        for number in range(300):
            place = Conversation("test", "chat", str(number % 30))
            await parley.say(f"<{number}>", conversation=place, sent_at=clock())
        answers = [await talk.ask(str(number), BOB, f"chat {number}") for number in range(5)]
        assert answers == [f"you said {number}" for number in range(5)]
        assert not any(text.startswith("you said <") for text in parley.channel.texts)
        gate.set()


async def test_concurrent_conversations_share_what_is_left(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=5), warn_at=0)
    async with core(tmp_path, options=options, clock=clock, working=False) as parley:
        for number in range(40):
            place = Conversation("test", f"chat {number}")
            await parley.say(str(number), conversation=place, sent_at=clock())
        parley.task = asyncio.create_task(parley.manager.run())
        texts = await parley.channel.until_finals(40)
        assert sum(REFUSED in text for text in texts) == 35
        assert len(parley.agent.requests) == 5


async def test_tokens_and_costs_are_limited_by_the_day(tmp_path: Path, clock: Clock) -> None:
    agent = metered(TokenUsage("small-2026", 600, 100), TokenUsage("free", 0, 50))
    prices = {"small*": TokenPrice(1.0, 4.0)}
    options = limited(person=LimitCaps(cost_per_day=2000), chat=LimitCaps(tokens_per_day=2000), prices=prices)
    async with core(tmp_path, agent=agent, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        assert "⚠" not in await talk.ask()
        warned = await talk.ask()
        assert "⚠ You have used 0.002 of 0.002 USD a day. The limit resets at 00:00 UTC, in 12 h" in warned
        assert "⚠" not in warned.replace("⚠ You", "")
        refusal = await talk.ask(chat="elsewhere")
        assert "0.002 of 0.002 USD a day" in refusal
        crossing = await talk.ask(sender=BOB)
        assert "⚠ This chat has used 2,250 of 2,000 tokens a day" in crossing
        assert "This chat has reached its limit" in await talk.ask(sender=BOB)
        assert "⚠ You have used 0.002 of" in await talk.ask(sender=BOB, chat="elsewhere")
        clock.now += 43_200
        assert (await talk.ask()).startswith("you said")


async def test_people_are_warned_once_in_each_window(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=10))
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        answers = [await talk.ask(chat=f"chat {number % 3}") for number in range(10)]
        assert ["⚠" in answer for answer in answers] == [False] * 7 + [True, False, False]
        assert "⚠ You have used 8 of 10 turns a day" in answers[7]
        clock.now += 86_400
        answers = [await talk.ask() for _ in range(8)]
        assert ["⚠" in answer for answer in answers] == [False] * 7 + [True]
        assert "⚠" not in (await parley.memory.until_turns(18))[7].reply_text


async def test_the_channels_limit_is_everybodys(tmp_path: Path, clock: Clock) -> None:
    options = limited(channel=LimitCaps(turns_per_day=3), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        for number, sender in enumerate((ANN, BOB, ANN)):
            assert (await talk.ask(sender=sender, chat=str(number))).startswith("you said")
        assert "The limit for all people here is reached: 3 of 3 turns a day" in await talk.ask(sender=BOB)


async def test_linked_accounts_are_one_person(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=3), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk, people = Talk(parley, clock), parley.services.people
        await talk.ask()
        await talk.ask(sender=BOB, chat="bob")
        await people.join(account_key(BOB), account_key(ANN))
        assert "2 of 3 turns a day" in await talk.usage()
        await talk.ask(sender=BOB, chat="bob")
        for sender in (ANN, BOB):
            assert REFUSED in await talk.ask(sender=sender, chat=sender.id)
        # Leaving again gives back nothing that this account has used itself.
        assert await people.leave(BOB)
        assert "2 of 3 turns a day" in await talk.usage(BOB, chat="bob")


async def test_a_turn_that_was_begun_counts_once_whatever_crashes(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=1), warn_at=0)
    async with core(tmp_path, options=options, clock=clock, working=False) as parley:
        await parley.say("hi", sent_at=clock())
        (item,) = await parley.journal.waiting("turns/test", "test:chat")
        turn = parley.services.conversations.turn_id(item.id)
        # The process ended right after it had counted the turn, before it noted anything.
        (name, *_) = ANNS.names(LimitScope.PERSON, day_window(clock(), UTC))
        assert await parley.journal.tally(
            [CounterIncrement(name, 9e9, Usage(turns=1), 1)], once=f"turn/{turn}"
        )
    async with core(tmp_path, options=options, clock=clock) as parley:
        assert await parley.channel.until_finals(1) == ["you said hi"]
        talk = Talk(parley, clock)
        assert REFUSED in await talk.ask("again")
        assert "1 of 1 turns a day" in await talk.usage()


@pytest.mark.parametrize("caps", [LimitCaps(), LimitCaps(turns_per_day=9, turns_per_minute=9)])
async def test_a_crash_at_any_stage_counts_a_turn_once(tmp_path: Path, clock: Clock, caps: LimitCaps) -> None:
    agent, options = metered(TokenUsage("small", 10, 2)), limited(person=caps, warn_at=0)
    for _ in range(3):
        # The answer is there, and its delivery under way: the next process delivers it, or is killed too.
        channel = RecordingChannel()
        channel.finish_gate = asyncio.Event()
        async with core(tmp_path, agent=agent, channel=channel, options=options, clock=clock) as parley:
            if not agent.requests:
                await parley.say("hi", sent_at=clock())
            await channel.until_finishing()
    async with core(tmp_path, agent=agent, options=options, clock=clock) as parley:
        assert await parley.channel.until_finals(1) == ["you said hi"]
        assert "turns: 1 · input tokens: 10, output tokens: 2" in await Talk(parley, clock).usage()
    assert len(agent.requests) == 1


async def test_an_answer_that_the_platform_refuses_has_cost_its_tokens(tmp_path: Path, clock: Clock) -> None:
    agent = metered(TokenUsage("small", 10, 2))
    async with core(tmp_path, agent=agent, clock=clock) as parley:
        parley.channel.finish_errors = [DeliveryRejected("too strange")]
        talk = Talk(parley, clock)
        await talk.ask()
        assert len(await parley.journal.dead()) == 1
        assert "turns: 1 · input tokens: 10, output tokens: 2" in await talk.usage()


async def test_a_turn_that_never_ran_is_given_back(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=1), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        parley.agent.script = refuses
        assert "did not accept this request" in await talk.ask()
        parley.agent.script = ScriptedAgent().script
        assert await talk.ask("now") == "you said now"
        assert REFUSED in await talk.ask("more")


async def refuses(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    for event in NO_EVENTS:
        yield event
    raise AgentRefused("no such assistant")


async def test_a_refused_message_leaves_no_trace_in_the_conversation(tmp_path: Path, clock: Clock) -> None:
    options = limited(person=LimitCaps(turns_per_day=1), warn_at=0)
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        await talk.ask("first")
        await talk.ask("second")
        record, _ = await parley.services.conversations.read(Conversation("test", "chat"))
        assert record.said == ("first",)
        assert [message.text for message in record.last] == ["first"]
        assert len(parley.memory.turns) == 1
        assert await parley.journal.dead() == ()


async def test_decisions_go_on_whatever_the_limit(tmp_path: Path, clock: Clock) -> None:
    question = Question("int-1", "Send it?", (Option("approve", ""), Option("reject", "")))

    async def asks(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        tokens = (TokenUsage("small", 10, 1),)
        if request.answer is None:
            yield RunEnded(Outcome.ASKED, "", questions=(question,), usage=tokens)
        else:
            assert request.answer.given == (InterruptAnswer("int-1", "approve", AnswerKind.OPTION),)
            yield RunEnded(Outcome.ANSWERED, "sent", usage=tokens)

    options = limited(person=LimitCaps(turns_per_day=1), warn_at=0)
    async with core(tmp_path, agent=ScriptedAgent(asks), options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        await talk.ask("send it")
        assert "sent" in await talk.ask("approve")
        assert REFUSED in await talk.ask("another")
        assert "turns: 1 · input tokens: 20, output tokens: 2" in await talk.usage()


async def test_without_limits_everything_is_counted_for_usage(tmp_path: Path, clock: Clock) -> None:
    agent = metered(TokenUsage("small", 1200, 34))
    options = limited(prices={"small": TokenPrice(0.25, 2.0)})
    async with core(tmp_path, agent=agent, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        await talk.ask()
        clock.now += 86_400
        for _ in range(2):
            await talk.ask()
        assert await talk.usage() == (
            "**You** today: turns: 2 · input tokens: 2,400, output tokens: 68 · cost: 0.000736 USD\n"
            "- Last 30 days: turns: 3 · input tokens: 3,600, output tokens: 102 · cost: 0.001104 USD"
        )
        clock.now += 29 * 86_400
        assert "Last 30 days: turns: 2" in await talk.usage()


async def test_usage_says_what_it_does_not_know(tmp_path: Path, clock: Clock) -> None:
    options = limited(prices={"small": TokenPrice(1.0, 1.0)})
    async with core(tmp_path, agent=metered(), options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        await talk.ask()
        parley.agent.script = metered(TokenUsage("other", 10, 10)).script
        await talk.ask()
        said = await talk.usage()
        assert "Turns without token counts from the agent server: 1." in said
        assert "Tokens of models without a price: 20." in said


async def test_administrators_see_the_place_too(tmp_path: Path, clock: Clock) -> None:
    options = limited(frozenset({"ann"}), channel=LimitCaps(turns_per_day=100))
    async with core(tmp_path, options=options, clock=clock) as parley:
        talk = Talk(parley, clock)
        await talk.ask(sender=BOB, chat="group", private=False)
        await talk.ask(sender=BOB, chat="bob")
        theirs = await talk.usage(BOB, chat="group", private=False)
        assert "**You** today: turns: 2" in theirs
        assert "chat" not in theirs
        assert "channel" not in theirs
        ours = await talk.usage(chat="group", private=False)
        assert "**You** today: turns: 0" in ours
        assert "**This chat** today: turns: 1" in ours
        assert "**All people on this channel** today: turns: 2" in ours
        assert "- 2 of 100 turns a day; it resets at 00:00 UTC, in 12 h 0 min" in ours
        assert "**This chat**" not in await talk.usage()


async def test_refusals_warnings_and_figures_speak_the_persons_language(tmp_path: Path, clock: Clock) -> None:
    chinese = replace(ANN, language="zh")
    async with core(tmp_path, options=limited(person=LimitCaps(turns_per_day=1)), clock=clock) as parley:
        talk = Talk(parley, clock)
        assert "⚠ 您已使用每天 1 轮对话中的 1 轮" in await talk.ask(sender=chinese)
        assert "您的限额已用完" in await talk.ask(sender=chinese)
        assert "**您**今天：对话 1 轮" in await talk.usage(chinese)


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("caps", [LimitCaps(), LimitCaps(turns_per_day=9)])
async def test_a_private_chat_is_counted_where_chats_have_limits(
    tmp_path: Path, clock: Clock, private: bool, caps: LimitCaps
) -> None:
    """Every count is a row more in each turn's transaction."""
    options = limited(person=LimitCaps(turns_per_day=9), chat=caps, warn_at=0)
    async with core(tmp_path, options=options, clock=clock, agent=metered(TokenUsage("m", 5, 6))) as parley:
        await Talk(parley, clock).ask("1", private=private)
        day = day_window(NOON, UTC)
        party = LimitSubject("", (account_key(ANN),), "test:chat", "test")
        counts = await parley.journal.counted([party.names(scope, day)[0] for scope in LimitScope])
    counted = [(count.turns, count.input) for count in counts]
    kept = (1, 5) if not private or caps.limits() else (0, 0)
    assert counted == [(1, 5), kept, (1, 5)]
