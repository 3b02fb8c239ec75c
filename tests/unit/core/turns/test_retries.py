"""/retry: the last turn again, with a reply of its own."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from parley.core.inbound.turn_queue import retry_items
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.errors import AgentRefused
from parley.core.model.questions import InterruptAnswer, Question, QuestionKind
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core


async def numbered(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    """Answers "try N of ..."; what says so fails, stops or asks at its first try."""
    number = sum(each.text == request.text for each in agent.requests)
    yield RunStarted(RunRef(request.thread, f"run {len(agent.requests)}"))
    if number == 1 and request.text == "refuse":
        raise AgentRefused("no")
    if number == 1 and request.text == "fail":
        yield RunEnded(Outcome.FAILED, "so far", error="boom")
    elif number == 1 and request.text == "long":
        yield RunProgress("half", ())
        await agent.cancel_seen.wait()
        yield RunEnded(Outcome.CANCELLED, "half")
    elif number == 1 and request.text == "ask":
        yield RunEnded(Outcome.ASKED, "", questions=(Question("i1", "Really?", kind=QuestionKind.INPUT),))
    else:
        yield RunEnded(Outcome.ANSWERED, f"try {number} of {request.text}")


async def retry(parley: Core, finals: int) -> str:
    await parley.say("/retry")
    return (await parley.channel.until_finals(finals))[finals - 1]


async def retry_while_finishing(parley: Core) -> None:
    """Have the command worked before the final is through: the reply to /status waits at the same gate."""
    await parley.say("/retry")
    await parley.say("/status")
    await parley.channel.until_finishing()
    assert parley.channel.finish_gate is not None
    parley.channel.finish_gate.set()


async def test_the_last_message_is_answered_again_in_a_message_of_its_own(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(numbered)) as parley:
        await parley.say("one")
        await parley.channel.until_finals(1)
        await parley.say("two")
        await parley.channel.until_finals(2)
        assert await retry(parley, 3) == "try 2 of two"
        assert await retry(parley, 4) == "try 3 of two"
        _, first, second, third = parley.agent.requests
        assert first.message_id == second.message_id == third.message_id
        assert first.thread == second.thread
        assert len({each.turn_id for each in parley.agent.requests}) == 4
        assert [each.retried for each in parley.agent.requests] == [False, False, True, True]
        assert len({final.turn_id for final in parley.channel.finals}) == 4


async def test_failed_refused_and_stopped_turns_can_be_run_again(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(numbered)) as parley:
        for number, text in enumerate(("fail", "refuse")):
            await parley.say(text)
            await parley.channel.until_finals(2 * number + 1)
            assert await retry(parley, 2 * number + 2) == f"try 2 of {text}"
        await parley.say("long")
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
        assert "still being written" in await retry(parley, 5)
        await parley.say("/stop")
        await parley.channel.until_finals(7)
        assert await retry(parley, 8) == "try 2 of long"


async def test_nothing_to_run_again_is_said(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(numbered)) as parley:
        assert "nothing here" in await retry(parley, 1)
        await parley.say("one")
        await parley.channel.until_finals(2)
        await parley.say("/new")
        await parley.channel.until_finals(3)
        assert "nothing here" in await retry(parley, 4)
        assert len(parley.agent.requests) == 1


async def test_an_answer_still_on_its_way_can_be_asked_for_again(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with core(tmp_path, agent=ScriptedAgent(numbered), channel=channel) as parley:
        await parley.say("one")
        await channel.until_finishing()
        await retry_while_finishing(parley)
        texts = await channel.until_finals(3)
        assert [text for text in texts if text.startswith("try")] == ["try 1 of one", "try 2 of one"]


async def test_a_burst_with_its_files_is_one_turn_again(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(numbered), working=False) as parley:
        files = (Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 3, "abc"),)
        await parley.say("look", group="album", attachments=files)
        await parley.say("here", group="album")
        parley.task = asyncio.create_task(parley.manager.run())
        await parley.channel.until_finals(1)
        assert await retry(parley, 2) == "try 2 of look\nhere"
        first, second = parley.agent.requests
        assert first.message_id == second.message_id
        assert [file.name for file in second.files] == ["a.txt"]


async def test_a_turn_that_waits_for_a_decision_is_run_again_without_it(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(numbered)) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        assert await retry(parley, 3) == "try 2 of ask"
        assert parley.agent.requests[1].answer is None
        await parley.say("and now")
        assert (await parley.channel.until_finals(4))[3] == "try 1 of and now"


async def test_what_was_decided_is_not_the_last_message(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(numbered)) as parley:
        await parley.say("ask")
        await parley.channel.until_finals(2)
        await parley.say("yes, really")
        await parley.channel.until_finals(3)
        assert parley.agent.requests[1].answer is not None
        assert parley.agent.requests[1].answer.given == (InterruptAnswer("i1", "yes, really"),)
        await retry(parley, 4)
        assert parley.agent.requests[2].text == "ask"
        assert parley.agent.requests[2].answer is None


async def test_a_wish_half_done_before_a_crash_is_done_once(tmp_path: Path) -> None:
    channel = RecordingChannel()
    async with core(tmp_path, agent=ScriptedAgent(numbered), channel=channel) as parley:
        await parley.say("one")
        await channel.until_finals(1)
        # The command's own node dies between the messages' put and its answer.
        await parley.manager.drain()
        await parley.say("/retry")
        (item,) = await parley.journal.waiting("commands/test", "test:chat")
        record, _ = await parley.services.conversations.read(parley.channel.targets[0].conversation)
        await parley.journal.put(*retry_items(record.last, str(item.id)))
    agent = ScriptedAgent(numbered)
    async with core(tmp_path, agent=agent) as parley:
        await parley.channel.until_finals(1)
        await parley.say("/status")
        await parley.channel.until_finals(2)
        assert len(agent.requests) == 1
