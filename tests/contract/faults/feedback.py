"""Faults in how thumbs stand under answers, and in what a press of one says."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.address import User
from parley.core.model.feedback import FeedbackChoice
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, Checkpoint, Inbox, Reply
from tests.contract.driver import Driver
from tests.contract.faults.fault import Around, AroundReply, Fault, hearing, replying
from tests.contract.faults.questions import DeafToButtons
from tests.contract.harness.parley_process import Seed


class LeavesThumbsOut(AroundReply):
    """Shows no thumbs."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(replace(snapshot, rateable=False))


class SwapsThumbs(Around):
    """Takes one thumb for the other."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        other = {FeedbackChoice.UP: FeedbackChoice.DOWN, FeedbackChoice.DOWN: FeedbackChoice.UP}
        return await inbox.decide(replace(click, option=other[FeedbackChoice(click.option)]))


class TakesAllRatersForOne(Around):
    """Takes whoever presses for who pressed first."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.first: User | None = None

    async def decide(self, inbox: Inbox, click: Click) -> str:
        self.first = self.first or click.sender
        return await inbox.decide(replace(click, sender=self.first))


class KnowsItsOwnAnswersOnly(Around):
    """Hears thumbs under what this process showed, and no others."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.turns: set[str] = set()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self.turns.add(target.turn_id)
        return super().open_reply(target, checkpoint)

    async def decide(self, inbox: Inbox, click: Click) -> str:
        known = click.question.partition(":")[2] in self.turns
        return await inbox.decide(click) if known else ""


def _talk(message: InboundMessage) -> InboundMessage:
    return replace(message, text=message.text.replace("/feedback", "feedback:"))


def _without_reply(message: InboundMessage) -> InboundMessage:
    return replace(message, replies_to="")


FAULTS = (
    replying("leave the thumbs out", "thumbs_stand_under_an_answer", LeavesThumbsOut),
    Fault("hear no thumbs", "a_thumb_is_kept_with_its_run", Seed(DeafToButtons)),
    Fault("swap the thumbs", "a_thumb_is_kept_with_its_run", Seed(SwapsThumbs)),
    Fault("take all raters for one", "each_person_rates_for_themselves", Seed(TakesAllRatersForOne)),
    Fault("forget answers in a crash", "a_thumb_after_a_crash_counts", Seed(KnowsItsOwnAnswersOnly)),
    hearing("lose what a reason replies to", "a_reply_says_what_was_wrong", _without_reply),
    hearing("take words about an answer for talk", "words_about_an_answer_are_not_for_the_agent", _talk),
)
