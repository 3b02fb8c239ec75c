"""Who finishes a turn that was worked under another lease writes its answer once more, later."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from parley.core.model.codec import encode
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply
from parley.core.state.turn_record import read_turn_record
from tests.kit.doubles.core import RecordingChannel, RecordingReply, core, message
from tests.kit.waiting import until

REWRITES = "rewrites/test"


def make_due(folder: Path) -> None:
    """Let the longest time of a call be over."""
    (file,) = folder.rglob("*.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE items SET run_at = 0 WHERE queue = ?", (REWRITES,))
        connection.execute("UPDATE lanes SET ready_at = 0 WHERE queue = ?", (REWRITES,))


async def waiting(journal, lane: str) -> int:
    return len(await journal.waiting(REWRITES, lane))


async def test_a_turn_that_was_taken_over_is_written_once_more(tmp_path: Path, caplog):
    caplog.set_level("INFO")
    async with core(tmp_path, working=False) as parley:
        await parley.bus.publish_inbound(message("hello", id="m-late"))
        (claim,) = await parley.journal.claim("turns/test", 1)
        record = replace(read_turn_record(claim.items[0]), tenure="another")
        await parley.journal.note(claim, claim.items[0].id, encode(record))
        await parley.journal.release(claim)
    async with core(tmp_path) as parley:
        (answer,) = await parley.channel.until_finals(1)
        turn = parley.channel.finals[0].turn_id
        await until(lambda: "delivered" in caplog.text, "the turn is over")
        assert await waiting(parley.journal, turn) == 1
    make_due(tmp_path)
    async with core(tmp_path) as parley:
        await parley.channel.until(lambda: parley.channel.texts.count(answer) == 1)
        await until(lambda: parley.services.deliveries.rewritten["test"] == 1, "it is counted")
        assert parley.channel.targets[-1].turn_id == turn
        assert f"conversation test:chat, turn {turn}, message m-late: written once more" in caplog.text


async def test_a_turn_of_one_lease_is_not(tmp_path: Path, caplog):
    caplog.set_level("INFO")
    async with core(tmp_path) as parley:
        await parley.say("hello")
        await parley.channel.until_finals(1)
        await until(lambda: "delivered" in caplog.text, "the turn is over")
        assert await waiting(parley.journal, parley.channel.finals[0].turn_id) == 0


class LateReply(RecordingReply):
    """Was looking for a message that may still arrive."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return replace(await super().finish(snapshot), late=True)


class LateChannel(RecordingChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return LateReply(self, target, checkpoint)


async def test_one_of_which_a_message_may_still_arrive_is(tmp_path: Path, caplog):
    caplog.set_level("INFO")
    async with core(tmp_path, channel=LateChannel()) as parley:
        await parley.say("hello")
        await parley.channel.until_finals(1)
        await until(lambda: "delivered" in caplog.text, "the turn is over")
        assert await waiting(parley.journal, parley.channel.finals[0].turn_id) == 1
