"""Faults on the way out."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from itertools import count
from typing import Any

from parley.channels.kit.budget.call_log import CallLog
from parley.channels.kit.budget.limits import CountedCalls
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, Checkpoint, Reply
from tests.contract.driver import Driver
from tests.contract.faults.fault import Around, AroundReply, Fault, aiming, replying, saying
from tests.contract.harness.parley_process import Seed

_NOTHING = Receipt(())
_numbers = count()


class DropsOnLimit(AroundReply):
    """Takes "later" for "never"."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        try:
            return await self.inner.finish(snapshot)
        except RateLimited:
            return _NOTHING


class Forgetful(CallLog):
    """Does not note that the platform asked for a pause."""

    def refuse(self, seconds: float, now: float) -> None:
        return None


class NotesNoRefusals(RateBudget):
    """The budget of a channel that remembers no pause."""

    def _log(self, counted: CountedCalls) -> CallLog:
        log = super()._log(counted)
        log.__class__ = Forgetful
        return log


class KnocksAgain(AroundReply):
    """Does not wait as long as it was asked to."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        while True:
            try:
                return await self.inner.finish(snapshot)
            except RateLimited:
                await asyncio.sleep(0.01)


class Impatient(Around):
    """Waits nowhere for as long as it was asked to: neither a reply nor the budget of all replies does."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        api: Any = vars(inner)["_api"]
        holder = getattr(api, "_bot", api)
        assert type(holder._budget) is RateBudget
        holder._budget.__class__ = NotesNoRefusals

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return KnocksAgain(target, lambda other: self.inner.open_reply(other, checkpoint))


class FinalWaitsForSnapshots(AroundReply):
    """Takes what was refused to a snapshot for a pause of everything."""

    until = 0.0

    async def show(self, snapshot: OutboundMessage) -> None:
        try:
            await self.inner.show(snapshot)
        except RateLimited as limit:
            self.until = asyncio.get_running_loop().time() + limit.retry_after
            raise

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        await asyncio.sleep(self.until - asyncio.get_running_loop().time())
        return await self.inner.finish(snapshot)


class GivesUp(AroundReply):
    """Tries once."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        try:
            return await self.inner.finish(snapshot)
        except ChannelUnavailable:
            return _NOTHING


class GivesUpWhenLimited(AroundReply):
    """Shows nothing more once it was told to wait."""

    limited = False

    async def show(self, snapshot: OutboundMessage) -> None:
        try:
            await self.inner.show(snapshot)
        except RateLimited:
            self.limited = True

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return _NOTHING if self.limited else await self.inner.finish(snapshot)


class TakesSlowForDone(AroundReply):
    """Does not wait for an answer that takes its time."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        try:
            return await asyncio.wait_for(self.inner.finish(snapshot), 0.05)
        except TimeoutError:
            return _NOTHING


class NeverTakesNo(AroundReply):
    """Takes what is refused for good for a bad day."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        try:
            return await self.inner.finish(snapshot)
        except DeliveryRejected as error:
            raise ChannelUnavailable("no") from error


class LeavesSteps(AroundReply):
    """Writes what was done on the way into the answer."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        steps = "".join(f"\n{step.title}" for step in snapshot.steps)
        return await self.inner.finish(replace(snapshot, text=snapshot.text + steps))


class SendsBlindly(AroundReply):
    """After each failure begins from nothing, as if nothing had arrived."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        while True:
            try:
                return await self.inner.finish(snapshot)
            except ChannelUnavailable:
                self.inner = self.again(replace(self.target, handle=""))


class SendsTwice(AroundReply):
    """Sends the final answer beside the one that grew."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        await self.inner.finish(snapshot)
        other = replace(self.target, handle="", turn_id=f"{self.target.turn_id}-{next(_numbers)}")
        return await self.again(other).finish(snapshot)


class PromisesOnly(AroundReply):
    """Gives the receipt first and sends later."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        self.later = asyncio.create_task(self.inner.finish(snapshot))
        return _NOTHING


class NeverFinishes(AroundReply):
    """Shows the final answer as one that still grows."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        await self.inner.show(replace(snapshot, final=False))
        return _NOTHING


class GoesBack(AroundReply):
    """Shows an older snapshot after a newer one."""

    older: OutboundMessage | None = None

    async def show(self, snapshot: OutboundMessage) -> None:
        await self.inner.show(snapshot)
        if self.older is not None and self.older.text:
            await self.inner.show(self.older)
        self.older = snapshot


class LastSnapshotIsFinal(AroundReply):
    """Takes the last thing it showed for the whole answer."""

    last = ""

    async def show(self, snapshot: OutboundMessage) -> None:
        self.last = snapshot.text
        await self.inner.show(snapshot)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(replace(snapshot, text=self.last or snapshot.text))


class ShowsNothing(AroundReply):
    """Keeps people waiting for the end."""

    async def show(self, snapshot: OutboundMessage) -> None:
        return None


class LeavesOutFiles(AroundReply):
    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(replace(snapshot, attachments=()))


class TurnsFilesRound(AroundReply):
    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(replace(snapshot, attachments=snapshot.attachments[::-1]))


class TextOnly(AroundReply):
    """Does not send an answer that has no text."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(snapshot) if snapshot.text else _NOTHING


class AnswersTheLastOne(Around):
    """Keeps one target for all."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.first: ReplyTarget | None = None

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self.first = self.first or target
        return self.inner.open_reply(replace(target, conversation=self.first.conversation), checkpoint)


class NotesNothing(Around):
    """Never makes its handle durable."""

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        async def forget(handle: str) -> None:
            return None

        return self.inner.open_reply(target, forget)


FAULTS = (
    replying("drop the final on a rate limit", "waits_as_long_as_asked", DropsOnLimit),
    Fault("ignore the time to wait", "waits_as_long_as_asked", Seed(Impatient)),
    replying("wait for a snapshot's pause", "a_refused_snapshot_delays_no_final", FinalWaitsForSnapshots),
    replying("give up after a server error", "server_errors_are_outlasted", GivesUp),
    replying("give up after a broken connection", "broken_connections_are_outlasted", GivesUp),
    replying("give up in an outage", "an_outage_is_outlasted", GivesUp),
    replying("begin anew after a lost answer", "a_lost_answer_doubles_nothing", SendsBlindly, "doubles"),
    replying("begin anew after nonsense", "a_senseless_answer_doubles_nothing", SendsBlindly, "doubles"),
    replying("give up once limited", "limits_while_growing_lose_nothing", GivesUpWhenLimited),
    replying("take slow for done", "a_slow_platform_misses_only_snapshots", TakesSlowForDone),
    replying("take no for later", "a_lost_place_holds_up_nobody", NeverTakesNo),
    replying("leave steps in the answer", "steps_are_not_the_answer", LeavesSteps),
    replying("send the final twice", "heard_as_said", SendsTwice),
    replying("give the receipt before sending", "crash_while_sending", PromisesOnly),
    replying("never finish", "heard_as_said", NeverFinishes),
    replying("show an older snapshot", "grows_and_is_whole", GoesBack),
    replying("take the last snapshot for the final", "grows_and_is_whole", LastSnapshotIsFinal),
    replying("end on a snapshot in a group", "grows_in_a_group_too", LastSnapshotIsFinal),
    replying("show nothing until the end", "grows_and_is_whole", ShowsNothing),
    replying("leave out files", "files_go_out_whole", LeavesOutFiles),
    replying("send files out of order", "files_go_out_whole", TurnsFilesRound),
    replying("send no answer without text", "a_file_without_words_is_an_answer", TextOnly),
    Fault("mix two conversations", "conversations_do_not_mix", Seed(AnswersTheLastOne)),
    Fault("note no handle", "crash_after_sending", Seed(NotesNothing), ("doubles",)),
    aiming(
        "forget the handle",
        "crash_while_growing_among_others",
        lambda target: replace(target, handle=""),
        "doubles",
    ),
    aiming(
        "give the turn another name each time",
        "crash_after_sending",
        lambda target: replace(target, turn_id=f"{target.turn_id}{next(_numbers)}", handle=""),
    ),
    aiming(
        "answer outside the topic",
        "topics_are_apart",
        lambda target: replace(target, conversation=replace(target.conversation, topic=None)),
        "aims",
    ),
    aiming("answer nobody's message", "answers_name_their_question", lambda t: replace(t, reply_to="")),
    saying(
        "say nothing of an empty answer",
        "an_empty_answer_is_said",
        lambda text: "" if text.startswith("The agent finished") else text,
    ),
    saying("cut at a limit", "a_huge_answer_arrives_whole", lambda text: text[:4000]),
    saying("lose indentation", "markdown_keeps_its_words", lambda text: re.sub(r"\n +", "\n", text)),
    saying("show the marks", "markdown_keeps_its_words", lambda text: text.replace("**", r"\*\*")),
    saying("unwrap code", "markdown_keeps_its_words", lambda text: re.sub(r"```\w*\n?", "", text)),
    saying("take text for tags", "awkward_text_survives", lambda text: re.sub(r"<[^>]*>", "", text)),
    saying("send what ASCII has", "every_sign_survives", lambda t: t.encode("ascii", "replace").decode()),
    saying(
        "throw away what was stopped",
        "stop_keeps_what_was_said",
        lambda text: "Stopped." if "Stopped." in text else text,
    ),
    saying(
        "hide a failure",
        "an_unfinished_answer_is_kept",
        lambda text: text.partition("\n\n")[0],
    ),
)
