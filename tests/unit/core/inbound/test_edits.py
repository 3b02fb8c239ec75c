"""Edited messages: the last turn again, or another text for what still waits."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from parley.core.inbound.turn_queue import BusySignal, turn_item
from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.codec import encode
from parley.core.model.options import BusyPolicy, CoreOptions, EditPolicy
from parley.core.model.questions import Question, QuestionKind
from parley.core.model.types import (
    InboundMessage,
    Outcome,
    RunEnded,
    RunEvent,
    RunProgress,
    RunRef,
    RunRequest,
    RunStarted,
)
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.state.conversations import ConversationRecord, ConversationRepository
from parley.core.turns.busy_worker import handle_busy_signal
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options, message
from tests.kit.waiting import until

STOPPED = "half of {}\n\n⏹ Stopped."


def options(on_edit: EditPolicy = EditPolicy.RERUN, **changes) -> CoreOptions:
    channel = default_options().channels["test"]
    return default_options(channels={"test": replace(channel, on_edit=on_edit, **changes)})


def edit(of: InboundMessage, text: str, number: int = 1, **changes) -> InboundMessage:
    """What the platform says when somebody changes a message."""
    return replace(of, id=f"{of.id}:edit:{number}", edits=of.id, text=text, **changes)


class Slow(ScriptedAgent):
    """Says half of "slow ..." until it is cancelled, asks once about "ask", answers everything else."""

    def __init__(self) -> None:
        super().__init__(self.play)

    async def play(self, _: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        run = RunRef(request.thread, f"run {len(self.requests)}")
        yield RunStarted(run)
        if request.text.startswith("slow"):
            yield RunProgress(f"half of {request.text}", ())
            while run.run_id not in [each.run_id for each in self.cancelled]:
                self.cancel_seen.clear()
                await self.cancel_seen.wait()
            yield RunEnded(Outcome.CANCELLED, f"half of {request.text}")
        elif request.text == "ask":
            question = Question("i1", "Really?", kind=QuestionKind.INPUT)
            yield RunEnded(Outcome.ASKED, "", questions=(question,))
        else:
            yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")


async def half(parley: Core, text: str) -> None:
    await parley.channel.until(lambda: any(shown.text == f"half of {text}" for shown in parley.channel.shown))


async def settled(parley: Core, *queues: str) -> None:
    """Nothing of the conversation waits in these queues any more."""
    for queue in queues or ("knocks", "turns"):
        await until(partial(parley.nothing_waits, f"{queue}/test"), f"nothing waits among the {queue}")


async def test_an_edit_of_the_last_message_runs_the_turn_again(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        await parley.say("one")
        await parley.channel.until_finals(1)
        said = message("tow")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(2)
        assert await parley.bus.publish_inbound(edit(said, "two"))
        assert (await parley.channel.until_finals(3))[2] == "you said two"
        _, first, second = parley.agent.requests
        assert (second.thread, second.message_id) == (first.thread, first.message_id)
        assert (first.retried, second.retried) == (False, True)
        assert second.turn_id != first.turn_id
        assert parley.channel.targets[-1].reply_to == said.id


async def test_an_edit_can_be_edited_and_is_what_is_answered_again_by_retry(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        said = message("a")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(1)
        for number, text in enumerate(("b", "c"), start=2):
            await parley.bus.publish_inbound(edit(said, text, number))
            assert (await parley.channel.until_finals(number))[-1] == f"you said {text}"
        await parley.say("/retry")
        assert (await parley.channel.until_finals(4))[-1] == "you said c"
        assert len({request.message_id for request in parley.agent.requests}) == 1


async def test_an_edit_stops_the_run_of_its_message_and_is_next(tmp_path: Path) -> None:
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options()) as parley:
        said = message("slow one")
        await parley.bus.publish_inbound(said)
        await half(parley, "slow one")
        await parley.bus.publish_inbound(edit(said, "slow two"))
        await half(parley, "slow two")
        await parley.bus.publish_inbound(edit(said, "quick", 2))
        texts = await parley.channel.until_finals(3)
        assert texts == [STOPPED.format("slow one"), STOPPED.format("slow two"), "you said quick"]
        assert [run.run_id for run in agent.cancelled] == ["run 1", "run 2"]


class LooksSlowly(ConversationRepository):
    """Lets time pass in the middle of a look at a conversation."""

    def __init__(self, inner: ConversationRepository) -> None:
        self._inner = inner
        self.looking, self.go_on = asyncio.Event(), asyncio.Event()

    async def read(self, conversation: Conversation) -> tuple[ConversationRecord, Document]:
        self.looking.set()
        await self.go_on.wait()
        return await self._inner.read(conversation)


async def test_an_edit_never_stops_the_turn_that_answers_it(tmp_path: Path) -> None:
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options()) as parley:
        said = message("slow one")
        await parley.bus.publish_inbound(said)
        await half(parley, "slow one")
        changed = edit(said, "slow two")
        knock = BusySignal(changed, stops=True)
        queue = "knocks/elsewhere"
        await parley.journal.put(
            turn_item(changed, f"test:{changed.id}"),
            NewQueueItem(queue, said.conversation.key, encode(knock), "knock"),
        )
        (claim,) = await parley.journal.claim(queue, 1)
        slowly = LooksSlowly(parley.services.conversations)
        stopped: list[bool] = []

        async def stop(conversation: Conversation, item: int) -> bool:
            stopped.append(await parley.manager.stop(conversation, item))
            return stopped[-1]

        services = replace(parley.services, conversations=slowly)
        looking = asyncio.create_task(handle_busy_signal(services, claim, stop))
        await slowly.looking.wait()
        # The run that was looked at ends by itself, and the answer to the edit begins.
        await agent.cancel(RunRef(agent.requests[0].thread, "run 1"))
        await half(parley, "slow two")
        slowly.go_on.set()
        await looking
        assert stopped == [False]
        assert [run.run_id for run in agent.cancelled] == ["run 1"]


async def test_edits_before_the_run_change_what_is_asked(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(), working=False) as parley:
        first, second = message("frist"), message("second")
        for each in (first, second, edit(first, "fist"), edit(first, "first", 2)):
            assert await parley.bus.publish_inbound(each)
        parley.task = asyncio.create_task(parley.manager.run())
        assert await parley.channel.until_finals(2) == ["you said first", "you said second"]
        await settled(parley)
        assert len(parley.agent.requests) == 2
        assert not any(request.retried for request in parley.agent.requests)


@pytest.mark.parametrize("busy", list(BusyPolicy))
async def test_an_edit_of_an_older_message_does_nothing(tmp_path: Path, busy: BusyPolicy) -> None:
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options(when_busy=busy)) as parley:
        old = message("old")
        await parley.bus.publish_inbound(old)
        await parley.channel.until_finals(1)
        await parley.say("slow one")
        await half(parley, "slow one")
        await parley.bus.publish_inbound(edit(old, "changed"))
        await settled(parley, "knocks")
        assert not agent.cancelled
        await parley.say("/stop")
        await parley.channel.until_finals(3)
        await settled(parley)
        assert [request.text for request in agent.requests] == ["old", "slow one"]


async def test_a_message_that_came_before_the_edit_makes_it_one_of_an_older_message(tmp_path: Path) -> None:
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options()) as parley:
        said = message("slow one")
        await parley.bus.publish_inbound(said)
        await half(parley, "slow one")
        await parley.say("two")
        await parley.bus.publish_inbound(edit(said, "changed"))
        await settled(parley, "knocks")
        assert not agent.cancelled
        await parley.say("/stop")
        await parley.channel.until_finals(3)
        await settled(parley)
        assert [request.text for request in agent.requests] == ["slow one", "two"]


async def test_nothing_new_in_an_edit_changes_nothing(tmp_path: Path) -> None:
    """Platforms tell of edits that only add a preview."""
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options()) as parley:
        said = message("slow one")
        await parley.bus.publish_inbound(said)
        await half(parley, "slow one")
        await parley.bus.publish_inbound(edit(said, "slow one"))
        await parley.say("/stop")
        await parley.channel.until_finals(2)
        await settled(parley)
        assert len(agent.requests) == 1


async def test_the_same_edit_is_heard_once(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        said = message("one")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(1)
        changed = edit(said, "two")
        assert await parley.bus.publish_inbound(changed)
        await parley.channel.until_finals(2)
        assert not await parley.bus.publish_inbound(changed)
        await settled(parley)
        assert len(parley.agent.requests) == 2


async def test_who_may_not_talk_edits_nothing_and_hears_nothing(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        said = message("one")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(1)
        stranger, bob = User("test", "eve", "Eve"), User("test", "bob", "Bob")
        assert not await parley.bus.publish_inbound(edit(said, "two", sender=stranger))
        assert not await parley.bus.publish_inbound(edit(said, "two", private=False, addressed=False))
        assert await parley.bus.publish_inbound(edit(said, "two", 2, sender=bob))
        await settled(parley)
        assert len(parley.agent.requests) == 1
        assert len(parley.channel.finals) == 1


async def test_a_command_in_an_edit_is_not_carried_out(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        said = message("one")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(1)
        assert not await parley.bus.publish_inbound(edit(said, "/new"))


async def test_edits_are_ignored_where_they_are_to_be(tmp_path: Path) -> None:
    async with core(tmp_path, options=options(EditPolicy.IGNORE)) as parley:
        said = message("one")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(1)
        assert not await parley.bus.publish_inbound(edit(said, "two"))
        await settled(parley)
        assert len(parley.agent.requests) == 1


async def test_one_message_of_a_burst_may_be_edited_while_its_run_is_on(tmp_path: Path) -> None:
    files = (Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 3, "abc"),)
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options(), working=False) as parley:
        first, second = message("slow", group="album", attachments=files), message("here", group="album")
        await parley.bus.publish_inbound(first)
        await parley.bus.publish_inbound(second)
        parley.task = asyncio.create_task(parley.manager.run())
        await half(parley, "slow\nhere")
        await parley.bus.publish_inbound(edit(second, "there", group=""))
        await half(parley, "slow\nthere")
        await parley.bus.publish_inbound(edit(first, "look", group=""))
        assert (await parley.channel.until_finals(3))[-1] == "you said look\nthere"
        assert len({request.message_id for request in agent.requests}) == 1
        assert [[file.name for file in each.files] for each in agent.requests] == [["a.txt"]] * 3


async def test_an_edit_of_what_the_agent_asked_back_about_drops_the_question(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Slow(), options=options()) as parley:
        said = message("ask")
        await parley.bus.publish_inbound(said)
        await parley.channel.until_finals(2)
        await parley.bus.publish_inbound(edit(said, "never mind"))
        assert (await parley.channel.until_finals(3))[-1] == "you said never mind"
        assert parley.agent.requests[-1].answer is None
        await parley.say("and now")
        assert (await parley.channel.until_finals(4))[-1] == "you said and now"


async def test_an_edit_half_done_before_a_crash_is_done_once(tmp_path: Path) -> None:
    said = message("slow one")
    async with core(tmp_path, agent=Slow(), options=options()) as parley:
        await parley.bus.publish_inbound(said)
        await half(parley, "slow one")
        await parley.bus.publish_inbound(edit(said, "slow two"))
        await half(parley, "slow two")
    agent = Slow()
    async with core(tmp_path, agent=agent, options=options()) as parley:
        await half(parley, "slow two")
        assert agent.requests[0].known is not None
        assert agent.requests[0].retried
        await parley.bus.publish_inbound(edit(said, "three", 2))
        assert (await parley.channel.until_finals(2))[-1] == "you said three"
        await settled(parley)
        assert [request.text for request in agent.requests] == ["slow two", "three"]


async def test_an_edit_that_nobody_heard_before_a_crash_is_heard_after_it(tmp_path: Path) -> None:
    said = message("slow one")
    async with core(tmp_path, agent=Slow(), options=options()) as parley:
        await parley.bus.publish_inbound(said)
        await half(parley, "slow one")
        await parley.crash()
        await parley.bus.publish_inbound(edit(said, "two"))
        # The knock was heard, and the process ended before anything came of it.
        (knock,) = await parley.journal.claim("knocks/test", 1)
        await parley.journal.done(knock, knock.items)
    async with core(tmp_path, agent=Slow(), options=options()) as parley:
        assert (await parley.channel.until_finals(2))[-1] == "you said two"


async def test_conversations_do_not_mix(tmp_path: Path) -> None:
    async with core(tmp_path, options=options()) as parley:
        said = message("one")
        await parley.bus.publish_inbound(said)
        await parley.say("elsewhere", conversation=Conversation("test", "other"))
        await parley.channel.until_finals(2)
        await parley.bus.publish_inbound(edit(said, "two"))
        assert (await parley.channel.until_finals(3))[-1] == "you said two"
        assert parley.agent.requests[-1].thread == parley.agent.requests[0].thread
