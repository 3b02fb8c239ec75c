"""What becomes of messages while a run of their conversation is on."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.options import BusyPolicy, CoreOptions
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from tests.kit.doubles.core import (
    Core,
    RecordingChannel,
    ScriptedAgent,
    bursting,
    core,
    default_options,
    echo,
    message,
)
from tests.kit.waiting import until

BUSY = "still working on the last message"


def options(chosen: BusyPolicy) -> CoreOptions:
    channel = default_options().channels["test"]
    return default_options(channels={"test": replace(channel, when_busy=chosen)})


class Gated(ScriptedAgent):
    """Says half of "long" and waits until it is cancelled or let through; answers all else at once."""

    def __init__(self) -> None:
        super().__init__(self.play)
        self.through = asyncio.Event()

    async def play(self, _: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if not request.text.startswith("long"):
            async for event in echo(self, request):
                yield event
            return
        yield RunStarted(RunRef(request.thread, f"run of {request.text}"))
        yield RunProgress(f"half of {request.text}", ())
        waits = [asyncio.create_task(event.wait()) for event in (self.through, self.cancel_seen)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        cancelled = any(run.run_id == f"run of {request.text}" for run in self.cancelled)
        yield RunEnded(
            Outcome.CANCELLED if cancelled else Outcome.ANSWERED,
            f"half of {request.text}" if cancelled else f"all of {request.text}",
        )


async def until_half(parley: Core, text: str = "long") -> None:
    await parley.channel.until(lambda: any(shown.text == f"half of {text}" for shown in parley.channel.shown))


async def test_merged_messages_wait_and_are_one_turn(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent, options=options(BusyPolicy.MERGE)) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.say("two")
        await parley.say("three", sender=User("test", "bob", "Bob"))
        await parley.say("four")
        agent.through.set()
        texts = await parley.channel.until_finals(2)
        ann, bob = (f'<from name="{name}" account="test:{name.lower()}">' for name in ("Ann", "Bob"))
        assert texts == ["all of long", f"you said {ann}\ntwo\n{bob}\nthree\n{ann}\nfour"]


async def test_merged_messages_are_one_turn_after_a_crash(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Gated(), options=options(BusyPolicy.MERGE)) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.say("two")
        await parley.say("three")
    agent = Gated()
    agent.through.set()
    async with core(tmp_path, agent=agent, options=options(BusyPolicy.MERGE)) as parley:
        assert await parley.channel.until_finals(2) == ["all of long", "you said two\nthree"]


async def test_a_new_message_interrupts_and_is_next(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent, options=options(BusyPolicy.INTERRUPT)) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.say("instead")
        texts = await parley.channel.until_finals(2)
        assert texts == ["half of long\n\n⏹ Stopped.", "you said instead"]
        assert [run.run_id for run in agent.cancelled] == ["run of long"]


async def test_a_message_to_a_free_conversation_interrupts_nothing(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(BusyPolicy.INTERRUPT)) as parley:
        for number in range(3):
            await parley.say(str(number))
            await parley.channel.until_finals(number + 1)
        assert parley.channel.texts == ["you said 0", "you said 1", "you said 2"]
        assert not parley.agent.cancelled


async def test_a_burst_does_not_interrupt_itself(tmp_path: Path) -> None:
    channel = options(BusyPolicy.INTERRUPT).channels["test"]
    async with bursting(tmp_path, channel) as (parley, window):
        for text in ("one", "two", "three"):
            await parley.say(text)
        await until(partial(parley.nothing_waits, "knocks/test"), "they were let in")
        await window.pass_by()
        assert await parley.channel.until_finals(1) == ["you said one\ntwo\nthree"]
        assert not parley.agent.cancelled


async def test_what_interrupts_does_so_after_a_crash_too(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Gated(), options=options(BusyPolicy.INTERRUPT)) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.crash()
        await parley.say("instead")
        # The knock was heard, and the process ended before anything came of it.
        (knock,) = await parley.journal.claim("knocks/test", 1)
        await parley.journal.done(knock, knock.items)
    agent = Gated()
    async with core(tmp_path, agent=agent, options=options(BusyPolicy.INTERRUPT)) as parley:
        texts = await parley.channel.until_finals(2)
        assert texts == ["half of long\n\n⏹ Stopped.", "you said instead"]


async def test_a_rejected_message_is_not_run_and_its_sender_knows(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent, options=options(BusyPolicy.REJECT)) as parley:
        await parley.say("long")
        await until_half(parley)
        rejected = message("not now")
        assert await parley.bus.publish_inbound(rejected)
        assert not await parley.bus.publish_inbound(rejected)
        assert BUSY in (await parley.channel.until_finals(1))[0]
        assert parley.channel.targets[-1].reply_to == rejected.id
        agent.through.set()
        await parley.channel.until_finals(2)
        await parley.say("now")
        assert (await parley.channel.until_finals(3))[1:] == ["all of long", "you said now"]
        assert [request.text for request in agent.requests] == ["long", "now"]


async def test_a_rejection_is_said_once_whatever_happens(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, agent=Gated(), channel=channel, options=options(BusyPolicy.REJECT)) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.say("not now")
        await channel.until_finishing()
    later, agent = RecordingChannel(), Gated()
    async with core(tmp_path, agent=agent, channel=later, options=options(BusyPolicy.REJECT)) as parley:
        agent.through.set()
        texts = await later.until_finals(2)
        assert sorted(BUSY in text for text in texts) == [False, True]
        assert [request.text for request in agent.requests] == ["long"]


async def test_a_message_that_may_be_rejected_is_let_in_once_after_a_crash(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(BusyPolicy.REJECT), working=False) as parley:
        await parley.say("hi")
    async with core(tmp_path, options=options(BusyPolicy.REJECT)) as parley:
        assert await parley.channel.until_finals(1) == ["you said hi"]
        await parley.say("next")
        assert await parley.channel.until_finals(2) == ["you said hi", "you said next"]


async def test_other_conversations_are_not_busy(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Gated(), options=options(BusyPolicy.REJECT)) as parley:
        await parley.say("long")
        await until_half(parley)
        await parley.say("hi", conversation=Conversation("test", "elsewhere"))
        assert await parley.channel.until_finals(1) == ["you said hi"]


async def test_a_conversation_has_a_way_of_its_own(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent) as parley:
        for text in ("/busy", "/busy sometimes", "/busy Reject", "/busy"):
            await parley.say(text)
            await parley.channel.until_finals(len(parley.channel.finals) + 1)
        before, unknown, chosen, after = parley.channel.texts
        assert "`queue`: each message waits and gets an answer of its own (in use)" in before
        assert "“sometimes” is not one of these" in unknown
        assert "not passed on" in chosen
        assert "so (in use)" in after
        await parley.say("long")
        await until_half(parley)
        await parley.say("not now")
        assert BUSY in (await parley.channel.until_finals(5))[4]
        await parley.say("/busy default")
        assert "waits" in (await parley.channel.until_finals(6))[5]
        await parley.say("now")
        agent.through.set()
        assert (await parley.channel.until_finals(8))[6:] == ["all of long", "you said now"]


@pytest.mark.parametrize("chosen", list(BusyPolicy))
async def test_nothing_is_lost_or_run_twice_in_a_rush(tmp_path: Path, chosen: BusyPolicy) -> None:
    async with core(tmp_path, options=options(chosen)) as parley:
        for number in range(30):
            await parley.say(f"<{number}>")

        def runs(number: int) -> int:
            return sum(f"<{number}>" in request.text for request in parley.agent.requests)

        def rejected() -> int:
            return sum(BUSY in text for text in parley.channel.texts)

        await parley.channel.until(lambda: rejected() + sum(map(runs, range(30))) >= 30)
        assert max(map(runs, range(30))) == 1
        assert rejected() + sum(map(runs, range(30))) == 30
        assert chosen is BusyPolicy.REJECT or not rejected()
