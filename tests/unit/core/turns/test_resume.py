"""What a node left behind is taken up where it stood."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path

from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from parley.core.scheduler.manager import Manager
from parley.core.state.turn_record import read_turn_record
from tests.kit.doubles.core import RecordingChannel, ScriptedAgent, core, echo


async def stuck(agent: ScriptedAgent, request: RunRequest) -> AsyncGenerator[RunEvent, None]:
    """Has a run and some text, and then nothing."""
    yield RunStarted(RunRef(request.thread, "run-1"))
    yield RunProgress("half", ())
    await asyncio.Event().wait()


async def test_a_message_accepted_before_a_crash_is_answered_after_it(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await parley.say("hi")
    async with core(tmp_path) as parley:
        assert await parley.channel.until_finals(1) == ["you said hi"]
        assert not parley.agent.requests[0].maybe_made


async def test_a_run_under_way_is_joined_again(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(stuck)) as parley:
        await parley.say("hi")
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
        first = parley.agent.requests[0]
    async with core(tmp_path) as parley:
        await parley.channel.until_finals(1)
        again = parley.agent.requests[0]
    assert again.maybe_made
    assert again.known == RunRef(first.thread, "run-1")
    assert (again.turn_id, again.message_id) == (first.turn_id, first.message_id)


async def test_an_answer_not_yet_delivered_is_sent_without_asking_again(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("hi")
        await channel.until_finishing()
    later = RecordingChannel()
    async with core(tmp_path, channel=later) as parley:
        assert await later.until_finals(1) == ["you said hi"]
        assert not parley.agent.requests
        assert later.targets[0].handle.startswith("handle of")
        assert not later.shown


async def test_a_burst_is_the_same_turn_after_a_crash(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(stuck), working=False) as parley:
        for number in range(3):
            await parley.say(str(number), group="album")
        parley.task = asyncio.create_task(parley.manager.run())
        await parley.agent.until_asked()
    async with core(tmp_path, working=False) as parley:
        await parley.say("3", group="album")
        parley.task = asyncio.create_task(parley.manager.run())
        assert await parley.channel.until_finals(2) == ["you said 0\n1\n2", "you said 3"]


async def test_draining_lets_turns_finish_and_starts_none(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def gated(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        await gate.wait()
        async for event in echo(agent, request):
            yield event

    async with core(tmp_path, agent=ScriptedAgent(gated)) as parley:
        await parley.say("running")
        await parley.agent.until_asked()
        draining = asyncio.create_task(parley.manager.drain())
        await asyncio.sleep(0)
        await parley.say("too late")
        gate.set()
        await draining
        assert parley.channel.texts == ["you said running"]
    async with core(tmp_path) as parley:
        assert await parley.channel.until_finals(1) == ["you said too late"]


async def test_a_turn_whose_handling_breaks_does_not_hold_up_its_conversation(tmp_path: Path) -> None:
    async def broken(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if request.text == "break":
            raise ZeroDivisionError
        yield RunEnded(Outcome.ANSWERED, "fine")

    async with core(tmp_path, agent=ScriptedAgent(broken), working=False) as parley:
        await parley.say("break")
        await parley.say("go on")
        parley.task = asyncio.create_task(parley.manager.run())
        assert (await parley.channel.until_finals(2))[-1] == "fine"
        assert "Parley could not handle" in parley.channel.texts[0]
        assert len(await parley.journal.dead()) == 1


async def test_what_waits_for_a_channel_that_is_off_goes_on_waiting(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await parley.say("hi")
        off = replace(parley.services, channels={})
        without = asyncio.create_task(Manager(off).run())
        await asyncio.sleep(0)
        without.cancel()
        await asyncio.gather(without, return_exceptions=True)
    async with core(tmp_path) as parley:
        assert await parley.channel.until_finals(1) == ["you said hi"]


async def test_a_file_of_an_answer_that_is_not_on_this_machine_is_had_from_the_run_again(
    tmp_path: Path,
) -> None:
    made = tmp_path / "notes.md"

    async def writes(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        await asyncio.to_thread(made.write_text, "Tea")
        yield RunStarted(RunRef(request.thread, "run-1"))
        file = StoredFile(AttachmentKind.FILE, "notes.md", "text/markdown", 3, str(made))
        yield RunEnded(Outcome.ANSWERED, "Here is a file", files=(file,))

    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, agent=ScriptedAgent(writes), channel=channel) as parley:
        await parley.say("hi")
        await channel.finishing.wait()
    made.unlink()
    async with core(tmp_path, agent=ScriptedAgent(writes)) as parley:
        await parley.channel.until_finals(1)
        assert parley.agent.requests[0].known == RunRef(parley.agent.requests[0].thread, "run-1")
        (file,) = parley.channel.finals[0].attachments
        assert await asyncio.to_thread(Path(file.path).read_text) == "Tea"


async def test_handing_over_gives_up_what_waits_for_the_agent_at_once(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(stuck)) as parley:
        await parley.say("hi")
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
        await parley.manager.drain(hand_over=True)
        (claim,) = await parley.journal.claim("turns/test", 1)
        assert read_turn_record(claim.items[0]).run_id == "run-1"
        assert parley.channel.finals == []
        assert parley.agent.cancelled == []


async def test_handing_over_lets_what_is_being_delivered_finish(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("hi")
        await channel.finishing.wait()
        draining = asyncio.create_task(parley.manager.drain(hand_over=True))
        await asyncio.sleep(0)
        channel.finish_gate.set()
        await draining
        assert channel.texts == ["you said hi"]
        assert await parley.journal.claim("turns/test", 1) == ()
