"""After an outage: the oldest first and not all at once, and an apology for what is too old."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.codec import encode
from parley.core.model.options import BusyPolicy, ChatOptions, EditPolicy, MentionPolicy
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Claim, QueueItem
from parley.core.scheduler.catch_up import CatchUpPacer
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core, default_options, message, work
from tests.kit.machine import patience
from tests.kit.waiting import until
from tests.unit.core.inbound.test_busy_policy import Gated, until_half
from tests.unit.core.turns.test_retries import retry_while_finishing

HOUR = 3600.0
NOW = 1_800_000_000.0
ONE, MANY = "when you wrote this", "your last {} messages here"


class Clock:
    """Stands still unless it is moved."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def old(text: str, hours: float = 2.0, **changes: object) -> InboundMessage:
    return message(text, sent_at=NOW - hours * HOUR, **changes)


async def put(parley: Core, *messages: InboundMessage) -> None:
    for each in messages:
        await parley.bus.publish_inbound(each)


async def test_one_old_message_is_apologised_for_and_not_run(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        said = old("first")
        await put(parley, said)
        work(parley, Clock())
        (text,) = await parley.channel.until_finals(1)
        assert ONE in text
        assert "/retry" in text
        assert parley.channel.targets[0].reply_to == said.id
        assert not parley.agent.requests


async def test_many_old_messages_are_one_apology_and_retry_answers_them_together(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("one", 3), old("two", 2.5), old("three", 2))
        work(parley, Clock())
        (text,) = await parley.channel.until_finals(1)
        assert MANY.format(3) in text
        await parley.say("/retry")
        assert (await parley.channel.until_finals(2))[1] == "you said one\ntwo\nthree"
        await parley.say("/retry")
        assert (await parley.channel.until_finals(3))[2] == "you said one\ntwo\nthree"
        assert len({request.message_id for request in parley.agent.requests}) == 1


async def test_what_is_not_too_old_is_answered_after_the_apology_which_still_stands(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("one"), old("two", 1.5), old("three", 0.5))
        work(parley, Clock())
        texts = await parley.channel.until_finals(2)
        assert MANY.format(2) in texts[0]
        assert texts[1] == "you said three"
        await parley.say("/retry")
        assert (await parley.channel.until_finals(3))[2] == "you said one\ntwo"


async def test_the_offer_stands_as_soon_as_it_is_read(tmp_path: Path) -> None:
    """The apology may be read, and taken up, a moment before we know that it was delivered."""
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, channel=channel, working=False) as parley:
        await put(parley, old("one", 3), old("two"))
        work(parley, Clock())
        await channel.until_finishing()
        await retry_while_finishing(parley)
        assert "you said one\ntwo" in await channel.until_finals(3)
        await parley.say("/retry")
        assert (await channel.until_finals(4))[3] == "you said one\ntwo"


async def test_who_goes_on_talking_has_passed_the_offer_over(tmp_path: Path) -> None:
    clock = Clock()
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("one"))
        work(parley, clock)
        await parley.channel.until_finals(1)
        clock.now += 10
        await put(parley, message("something else", sent_at=clock.now))
        await parley.channel.until_finals(2)
        await parley.say("/retry")
        assert (await parley.channel.until_finals(3))[2] == "you said something else"


async def test_new_takes_the_offer_away(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("one"))
        work(parley, Clock())
        await parley.channel.until_finals(1)
        await parley.say("/new")
        await parley.channel.until_finals(2)
        await parley.say("/retry")
        assert "nothing here" in (await parley.channel.until_finals(3))[2]


@pytest.mark.parametrize(("hours", "answered"), [(0.99, True), (1.01, False)])
async def test_the_age_is_counted_from_when_it_was_sent(tmp_path: Path, hours: float, answered: bool) -> None:
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("hi", hours))
        work(parley, Clock())
        (text,) = await parley.channel.until_finals(1)
        assert (text == "you said hi") is answered


async def test_without_a_limit_nothing_is_too_old(tmp_path: Path) -> None:
    options = default_options(max_message_age=0.0)
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("hi", 10_000))
        work(parley, Clock(), options)
        assert await parley.channel.until_finals(1) == ["you said hi"]


async def test_a_message_that_waited_for_the_turn_before_it_is_answered(tmp_path: Path) -> None:
    """We were there all the time; it is the agent that took hours."""
    clock, agent = Clock(), Gated()
    async with core(tmp_path, agent=agent, working=False) as parley:
        work(parley, clock)
        await put(parley, message("long", sent_at=NOW), message("next", sent_at=NOW + 60))
        await until_half(parley)
        clock.now += 5 * HOUR
        agent.through.set()
        assert await parley.channel.until_finals(2) == ["all of long", "you said next"]


async def test_a_conversation_is_apologised_to_on_its_own(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("one"), old("two", conversation=Conversation("test", "other")), old("three"))
        work(parley, Clock())
        texts = await parley.channel.until_finals(2)
        assert sorted(ONE in text for text in texts) == [False, True]
        assert sum(MANY.format(2) in text for text in texts) == 1


async def test_the_apology_is_said_once_whatever_happens(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, channel=channel, working=False) as parley:
        await put(parley, old("one"), old("two"))
        work(parley, Clock())
        await channel.until_finishing()
    later = RecordingChannel()
    async with core(tmp_path, channel=later, working=False) as parley:
        await put(parley, old("three"))
        work(parley, Clock())
        texts = await later.until_finals(2)
        assert [MANY.format(2) in text for text in texts] == [True, False]
        assert ONE in texts[1]
        assert not parley.agent.requests


async def test_strangers_are_neither_answered_nor_apologised_to(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await put(parley, old("one"), old("two", sender=User("test", "bob", "Bob")))
        channel = replace(parley.services.options.channels["test"], allowed_users=frozenset({"ann"}))
        work(parley, Clock(), default_options(channels={"test": channel}))
        (text,) = await parley.channel.until_finals(1)
        assert ONE in text
        await parley.say("/retry")
        assert (await parley.channel.until_finals(2))[1] == "you said one"


@pytest.mark.parametrize("busy", list(BusyPolicy))
async def test_however_messages_wait_the_old_ones_are_apologised_for(
    tmp_path: Path, busy: BusyPolicy
) -> None:
    channel = replace(default_options().channels["test"], when_busy=busy, on_edit=EditPolicy.RERUN)
    options = default_options(channels={"test": channel})
    async with core(tmp_path, options=options, working=False) as parley:
        said = old("tow")
        await put(parley, said, replace(said, id="edit", edits=said.id, text="two"))
        work(parley, Clock(), options)
        (text,) = await parley.channel.until_finals(1)
        assert ONE in text
        await parley.say("/retry")
        assert (await parley.channel.until_finals(2))[1] == "you said two"


async def test_an_edit_of_what_was_missed_changes_the_offer(tmp_path: Path) -> None:
    channel = replace(default_options().channels["test"], on_edit=EditPolicy.RERUN)
    options = default_options(channels={"test": channel})
    async with core(tmp_path, options=options, working=False) as parley:
        said = old("tow")
        await put(parley, said, old("three"))
        work(parley, Clock(), options)
        await parley.channel.until_finals(1)
        await put(parley, replace(said, id="edit", edits=said.id, text="two", sent_at=NOW))
        await until(partial(parley.nothing_waits, "turns/test"), "the edit is worked")
        await parley.say("/retry")
        assert (await parley.channel.until_finals(2))[1] == "you said two\nthree"


async def test_in_a_group_too_there_is_one_apology(tmp_path: Path) -> None:
    channel = replace(
        default_options().channels["test"], chats={"chat": ChatOptions(mention=MentionPolicy.NEVER)}
    )
    options = default_options(channels={"test": channel})
    async with core(tmp_path, options=options, working=False) as parley:
        bob = User("test", "bob", "Bob", language="zh")
        await put(parley, old("one", private=False), old("two", private=False, sender=bob))
        work(parley, Clock(), options)
        (text,) = await parley.channel.until_finals(1)
        assert "最近 2 条消息" in text


def claim(number: int, put_at: float, note: str = "", sent_at: float | None = None) -> Claim:
    said = message(str(number), sent_at=put_at if sent_at is None else sent_at)
    item = QueueItem(number, "turns/test", str(number), encode(said), note, 0, 1, put_at)
    return Claim(item.queue, item.lane, 1, (item,))


@pytest.mark.parametrize(
    ("what", "held"),
    [
        (claim(1, NOW - 1), True),
        (claim(1, NOW + 1), False),
        (claim(1, NOW - 1, note='{"stage":"running"}'), False),
        (claim(1, NOW + 5, sent_at=NOW - 5), True),
        (claim(1, NOW + HOUR, sent_at=NOW - 5), False),
    ],
    ids=["waited", "new", "under way", "kept by the platform", "long after the start"],
)
async def test_what_belongs_to_the_backlog(what: Claim, held: bool) -> None:
    assert CatchUpPacer(10, NOW).holds(what) is held
    assert not CatchUpPacer(0, NOW).holds(what)


async def test_the_oldest_are_let_in_first_one_at_a_time() -> None:
    backlog, order = CatchUpPacer(1000, NOW), list[int]()

    async def wait(number: int) -> None:
        await backlog.wait_turn(claim(number, NOW - number))
        order.append(number)

    async with asyncio.TaskGroup() as group:
        for number in (3, 9, 1, 7):
            group.create_task(wait(number))
    assert order == [9, 7, 3, 1]


async def test_who_gives_up_waiting_costs_nobody_a_turn() -> None:
    backlog = CatchUpPacer(1000, NOW)
    gone = asyncio.create_task(backlog.wait_turn(claim(1, NOW - 9)))
    stays = asyncio.create_task(backlog.wait_turn(claim(2, NOW - 1)))
    await asyncio.sleep(0)
    gone.cancel()
    async with asyncio.timeout(patience(10)):
        await stays
    assert gone.cancelled()


async def test_new_messages_and_commands_do_not_wait_behind_the_backlog(tmp_path: Path) -> None:
    """One slot and a backlog at a turn an hour: whoever writes now is answered now."""
    options = default_options(max_turns=1, backlog_rate=1 / HOUR)
    async with core(tmp_path, options=options, working=False) as parley:
        await put(parley, *(message(f"b{n}", conversation=Conversation("test", f"c{n}")) for n in range(20)))
        manager = work(parley, parley.services.clock, options)
        await put(parley, message("new"))
        assert await parley.channel.until_finals(1) == ["you said new"]
        await parley.say("/whoami", conversation=Conversation("test", "c1"))
        assert "You are" in (await parley.channel.until_finals(2))[1]
        # And a stop does not wait for them either: they go on at the next start.
        async with asyncio.timeout(patience(10)):
            await manager.drain()
    async with core(tmp_path, agent=ScriptedAgent()) as parley:
        texts = await parley.channel.until_finals(20)
        assert sorted(texts) == sorted(f"you said b{n}" for n in range(20))


async def test_the_backlog_comes_oldest_first_and_whole(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        for number in range(12):
            await put(parley, message(str(number), conversation=Conversation("test", f"c{number % 6}")))
    # Slow enough that a turn has asked its agent before the next one begins.
    async with core(tmp_path, options=default_options(backlog_rate=1 / patience(0.05))) as parley:
        await parley.channel.until_finals(12)
        assert [request.text for request in parley.agent.requests][:6] == [str(n) for n in range(6)]
        assert sorted(request.text for request in parley.agent.requests) == sorted(map(str, range(12)))
