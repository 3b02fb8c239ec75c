"""A message becomes a delivered reply, once and in order, whatever happens on the way."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.errors import (
    AgentRefused,
    AgentUnavailable,
    AgentUnreadable,
    AttachmentRefused,
    ChannelError,
    ChannelUnavailable,
    DeliveryRejected,
    RateLimited,
)
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from parley.core.ports.memory.port import FactView, MemoryNotices
from parley.core.texts import Sentence
from tests.kit.doubles.core import (
    NO_EVENTS,
    RecordingChannel,
    ScriptedAgent,
    bursting,
    core,
    default_options,
    echo,
    message,
)
from tests.kit.machine import patience


async def test_a_message_is_answered_and_remembered(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        assert await parley.say("hi")
        assert await parley.channel.until_finals(1) == ["you said hi"]
        request = parley.agent.requests[0]
        assert request.memory == "knows test:ann"
        assert request.session.assistant == "agent"
        turns = await parley.memory.until_turns(1)
        assert [turn.reply_text for turn in turns] == ["you said hi"]


async def test_text_before_a_tool_call_is_shown_and_not_remembered(tmp_path: Path) -> None:
    async def looks_up(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunEnded(Outcome.ANSWERED, "I look that up.\n\nIt is 42.", preamble=17)

    async with core(tmp_path, agent=ScriptedAgent(looks_up)) as parley:
        await parley.say("hi")
        assert await parley.channel.until_finals(1) == ["I look that up.\n\nIt is 42."]
        assert [turn.reply_text for turn in await parley.memory.until_turns(1)] == ["It is 42."]


async def test_what_memory_has_to_say_stands_below_the_answer(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        asked = FactView("fact_1", "Lives in Oslo", "context", 0.8, "", "thread")
        parley.memory.noted = MemoryNotices(damaged="memory.json.corrupt-1", secrets=2, stale=asked)
        await parley.say("hi")
        (text,) = await parley.channel.until_finals(1)
        answer, *notes = text.split("\n\n")
        assert answer == "you said hi"
        assert ["memory.json.corrupt-1" in notes[0], "(2) is not remembered" in notes[1]] == [True, True]
        assert "“Lives in Oslo”? If so: `/memory keep fact_1`" in notes[2]
        assert [turn.reply_text for turn in await parley.memory.until_turns(1)] == ["you said hi"]


async def test_a_message_delivered_twice_is_answered_once(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        again = message("hi")
        assert await parley.bus.publish_inbound(again)
        assert not await parley.bus.publish_inbound(again)
        await parley.say("next")
        assert await parley.channel.until_finals(2) == ["you said hi", "you said next"]


async def test_one_conversation_is_in_order_and_others_do_not_wait(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def slow_for_ann(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if request.text == "slow":
            await gate.wait()
        async for event in echo(agent, request):
            yield event

    async with core(tmp_path, agent=ScriptedAgent(slow_for_ann)) as parley:
        await parley.say("slow")
        await parley.say("after")
        await parley.say("other", conversation=Conversation("test", "elsewhere"))
        assert await parley.channel.until_finals(1) == ["you said other"]
        gate.set()
        assert await parley.channel.until_finals(3) == ["you said other", "you said slow", "you said after"]


async def test_a_burst_is_one_turn(tmp_path: Path) -> None:
    async with bursting(tmp_path, default_options().channels["test"]) as (parley, window):
        for text in ("one", "two", "three"):
            await parley.say(text)
        await window.pass_by()
        assert await parley.channel.until_finals(1) == ["you said one\ntwo\nthree"]
        await parley.say("four")
        assert (await parley.channel.until_finals(2))[1] == "you said four"


async def test_a_long_queue_is_merged_from_its_old_end(tmp_path: Path) -> None:
    async with core(tmp_path, options=default_options(queue_limit=3), working=False) as parley:
        for number in range(6):
            await parley.say(str(number))
        parley.task = asyncio.create_task(parley.manager.run())
        assert await parley.channel.until_finals(3) == ["you said 0\n1\n2\n3", "you said 4", "you said 5"]


async def test_a_slow_platform_never_slows_the_agent(tmp_path: Path) -> None:
    channel, read_all = RecordingChannel(), asyncio.Event()
    channel.show_gate = asyncio.Event()

    async def talkative(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, "run"))
        for number in range(1000):
            yield RunProgress(str(number), ())
        read_all.set()
        yield RunEnded(Outcome.ANSWERED, "done")

    async with core(tmp_path, agent=ScriptedAgent(talkative), channel=channel) as parley:
        await parley.say()
        async with asyncio.timeout(patience(10)):
            await read_all.wait()
        channel.show_gate.set()
        assert await channel.until_finals(1) == ["done"]
        assert len(channel.shown) < 5


async def test_a_final_is_tried_until_it_arrives(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_errors = [ChannelUnavailable("away"), RateLimited("slow down", 0.01)]
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("hi")
        assert await channel.until_finals(1) == ["you said hi"]


async def test_an_answer_refused_for_good_is_kept_for_the_operator(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_errors = [DeliveryRejected("never")]
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("first")
        await parley.say("second")
        assert await channel.until_finals(1) == ["you said second"]
        (dead,) = await parley.journal.dead()
        assert "first" in dead.body


async def test_the_agent_being_away_is_told_once_and_outlived(tmp_path: Path) -> None:
    tries = 0

    async def away_at_first(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise AgentUnavailable("away")
        assert request.maybe_made
        async for event in echo(agent, request):
            yield event

    options = default_options(notify_after=0.1)
    async with core(tmp_path, agent=ScriptedAgent(away_at_first), options=options) as parley:
        await parley.say("hi")
        assert await parley.channel.until_finals(1) == ["you said hi"]
        assert sum("Still trying" in snapshot.text for snapshot in parley.channel.shown) == 1


async def test_the_agent_away_for_too_long_ends_the_turn_with_a_sentence(tmp_path: Path) -> None:
    async def away(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        for event in NO_EVENTS:
            yield event
        raise AgentUnavailable("away")

    async with core(
        tmp_path, agent=ScriptedAgent(away), options=default_options(give_up_after=0.0)
    ) as parley:
        await parley.say("hi")
        (text,) = await parley.channel.until_finals(1)
        assert "could not be reached" in text


async def test_a_refusing_agent_is_not_asked_again(tmp_path: Path) -> None:
    async def refuse(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        for event in NO_EVENTS:
            yield event
        raise AgentRefused("no such assistant: secret detail")

    async with core(tmp_path, agent=ScriptedAgent(refuse)) as parley:
        await parley.say("hi")
        (text,) = await parley.channel.until_finals(1)
        assert "did not accept" in text
        assert "secret" not in text
        assert len(parley.agent.requests) == 1


async def test_an_answer_beyond_every_bound_is_not_asked_for_again(tmp_path: Path) -> None:
    async def flood(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, "run"))
        raise AgentUnreadable("an event has more than 100,000,000 bytes")

    async with core(tmp_path, agent=ScriptedAgent(flood)) as parley:
        await parley.say("hi")
        (text,) = await parley.channel.until_finals(1)
        assert "answer is too large to be read" in text
        assert len(parley.agent.requests) == 1


async def test_each_ending_has_its_own_sentence(tmp_path: Path) -> None:
    endings = {
        "empty": RunEnded(Outcome.EMPTY),
        "failed": RunEnded(Outcome.FAILED, "so far", error="Traceback: secret"),
        "cancelled": RunEnded(Outcome.CANCELLED, "so far"),
    }

    async def end(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, "run"))
        yield endings[request.text]

    async with core(tmp_path, agent=ScriptedAgent(end)) as parley:
        for text in endings:
            await parley.say(text)
        empty, failed, cancelled = await parley.channel.until_finals(3)
    assert "without an answer" in empty
    assert failed.startswith("so far")
    assert "went wrong" in failed
    assert "secret" not in failed
    assert cancelled == "so far\n\n⏹ Stopped."


async def test_files_reach_the_agent_and_missing_ones_are_named(tmp_path: Path) -> None:
    files = (Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 3, "abc"),)
    async with core(tmp_path) as parley:
        await parley.say("look", attachments=files)
        await parley.channel.until_finals(1)
        (stored,) = parley.agent.requests[0].files
        assert (await asyncio.to_thread(Path(stored.path).read_text)) == "abc"


async def test_strangers_are_refused_once_and_groups_never_hear_of_it(tmp_path: Path) -> None:
    eve = User("test", "eve", "Eve")
    async with core(tmp_path) as parley:
        assert await parley.say("hi", sender=eve)
        assert await parley.say("hi again", sender=eve)
        assert not await parley.say("hi all", sender=eve, private=False)
        assert not await parley.say("not for us", private=False, addressed=False)
        await parley.say("hi")
        texts = await parley.channel.until_finals(2)
        assert sum("allowed_users" in text for text in texts) == 1
        assert len(parley.agent.requests) == 1


class RefusingChannel(RecordingChannel):
    """Hands out no file, for the reason that it is given."""

    reason: ChannelError = AttachmentRefused("larger than 2 MB", Sentence.FILE_OVER_LIMIT, limit="2 MB")

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        raise self.reason


async def test_why_a_file_was_left_out_is_told_in_the_senders_language(tmp_path: Path) -> None:
    files = (Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 3, "abc"),)
    channel = RefusingChannel()
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("看看", attachments=files, sender=User("test", "ann", language="zh"))
        (text,) = await channel.until_finals(1)
        assert text.endswith("⚠ 未处理文件 a.txt：文件大小超过 2 MB。")
        assert "[The file a.txt could not be read: larger than 2 MB]" in parley.agent.requests[0].text
