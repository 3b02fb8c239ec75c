"""Whatever Parley says for good is counted: it arrived, it was refused, or it may be there twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply
from tests.kit.doubles.core import RecordingChannel, RecordingReply, ScriptedAgent, core
from tests.kit.samples.questions import MAIL, asking
from tests.kit.waiting import until


class UnsureReply(RecordingReply):
    """Cannot tell whether what it sent is there once."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return Receipt((await super().finish(snapshot)).message_ids, doubtful=True)


class UnsureChannel(RecordingChannel):
    """A platform whose every answer is lost."""

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return UnsureReply(self, target, checkpoint)


async def counted(counter: Counter[str], count: int) -> None:
    """Return once so much was counted; it is, soon after the platform has it."""
    await until(lambda: counter["test"] >= count, f"{count} were counted")
    assert counter == {"test": count}


async def test_answers_in_doubt_are_counted(tmp_path: Path) -> None:
    async with core(tmp_path, channel=UnsureChannel()) as parley:
        await parley.say("hi")
        await counted(parley.services.deliveries.doubtful, 1)
        await counted(parley.services.deliveries.arrived, 1)


async def test_answers_to_commands_in_doubt_are_counted(tmp_path: Path) -> None:
    async with core(tmp_path, channel=UnsureChannel()) as parley:
        await parley.say("/whoami")
        await counted(parley.services.deliveries.doubtful, 1)


async def test_questions_in_doubt_are_counted(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL)), channel=UnsureChannel()) as parley:
        await parley.say("ask")
        await counted(parley.services.deliveries.doubtful, 2)


async def test_what_is_refused_for_good_is_counted_and_did_not_arrive(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_errors.append(DeliveryRejected("no"))
    async with core(tmp_path, channel=channel) as parley:
        await parley.say("hi")
        await counted(parley.services.deliveries.refused, 1)
        assert not parley.services.deliveries.arrived
