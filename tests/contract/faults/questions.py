"""Faults in how questions are asked, decided and settled."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import ClassVar

from parley.core.model.address import User
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices, Checkpoint, Inbox, Reply
from parley.core.ports.no_core import tell_nothing
from tests.contract.driver import Driver
from tests.contract.faults.fault import Around, AroundReply, Fault, hearing, replying
from tests.contract.faults.lifecycle import StartsClean, forgetful
from tests.contract.harness.parley_process import Seed

_numbers = count()


def _without_reply(message: InboundMessage) -> InboundMessage:
    return replace(message, replies_to="")


class DeafToButtons(Around):
    """Takes presses for nothing."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        return ""


class TakesPressesForWords(Around):
    """Hears a press as if its option had been written."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        said = InboundMessage(
            click.id,
            click.conversation,
            click.sender,
            click.option,
            addressed=True,
            private=click.private,
            sent_at=time.time(),
        )
        await inbox.accept(said)
        return "noted"


class KeepsItsMouthShut(Around):
    """Says nothing to who pressed."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        await inbox.decide(click)
        return ""


class ShrugsOffThePress(Around):
    """Takes a store that is away for a press that is done with."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        with suppress(StoreUnavailable):
            return await inbox.decide(click)
        return ""


class KnowsWhatItAsked(Around):
    """Keeps in mind which questions were asked, the `last` one, and by whose words."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.asked: set[str] = set()
        self.last = ""
        self.asker = User("", "")

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        # A question's key is its turn's, with a number.
        if "-" in target.turn_id and not target.handle:
            self.asked.add(target.turn_id)
            self.last, self.asker = target.turn_id, target.asker
        return super().open_reply(target, checkpoint)


class KnowsWhatItShowed(Around):
    """Keeps in mind under which ids its questions are shown."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.shown: list[str] = []

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        shown = self.shown

        class Noting(AroundReply):
            async def finish(self, snapshot: OutboundMessage) -> Receipt:
                receipt = await self.inner.finish(snapshot)
                if "-" in snapshot.turn_id:
                    shown.extend(receipt.message_ids)
                return receipt

        return Noting(target, lambda other: self.inner.open_reply(other, checkpoint))


class TakesAllForOne(KnowsWhatItAsked):
    """Takes whoever presses for who asked."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        return await inbox.decide(replace(click, sender=self.asker))


class KnowsOneQuestion(KnowsWhatItAsked):
    """Takes every press, new or known, for one of the newest question's buttons."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        self.pressed: dict[str, str] = {}

    async def decide(self, inbox: Inbox, click: Click) -> str:
        option = self.pressed.setdefault(click.id, click.option)
        again = f"{click.id}.{next(_numbers)}"
        return await inbox.decide(replace(click, id=again, question=self.last, option=option))


class ForgetsItsQuestions(KnowsWhatItAsked):
    """Knows what it asked by heart only."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        return await inbox.decide(click) if click.question in self.asked else ""


class HearsButtonsOnly(KnowsWhatItAsked):
    """Has no ear for words once it has shown buttons."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if not self.asked:
            await inbox.accept(message)


class ReversesTheOptions(AroundReply):
    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        question = snapshot.question
        if question is not None:
            snapshot = replace(snapshot, question=replace(question, options=question.options[::-1]))
        return await self.inner.finish(snapshot)


class CutsQuestionsShort(AroundReply):
    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        text = snapshot.text if snapshot.question is None else snapshot.text[:500]
        return await self.inner.finish(replace(snapshot, text=text))


class LeavesItOpen(AroundReply):
    """Lets a decided question stand as it is."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        return None


class ShowsNoDecision(Around):
    """Lets decided questions stand, and shows what was decided in no answer to a press either."""

    def __init__(self, inner: Channel, driver: Driver) -> None:
        super().__init__(inner, driver)
        services = getattr(inner, "_services", None)
        if isinstance(services, ChannelServices):
            inner.__dict__["_services"] = replace(services, outcome=tell_nothing)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        return LeavesItOpen(target, lambda other: self.inner.open_reply(other, checkpoint))


class SettlesBeside(AroundReply):
    """Says what was decided in a new message."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        await self.again(replace(self.target, handle="")).finish(snapshot)


class HoldsTheFirstBack(AroundReply):
    """Shows the first of several questions after the second."""

    held: ClassVar[dict[str, tuple[Reply, OutboundMessage]]] = {}

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        turn, _, number = snapshot.turn_id.rpartition("-")
        if turn and number == "1":
            self.held[turn] = self.inner, snapshot
            return Receipt(())
        receipt = await self.inner.finish(snapshot)
        if turn in self.held:
            reply, first = self.held.pop(turn)
            await reply.finish(first)
        return receipt


class TakesAllForReplies(KnowsWhatItShowed):
    """Takes words for a reply to the question that was shown first."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        first = next(iter(self.shown), "")
        await inbox.accept(replace(message, replies_to=first))


FAULTS = (
    Fault("hear no buttons", "a_press_decides", Seed(DeafToButtons)),
    Fault("take presses for words", "presses_at_once_decide_once", Seed(TakesPressesForWords)),
    Fault("leave who pressed in the dark", "who_presses_is_told", Seed(KeepsItsMouthShut)),
    Fault("shrug off a press", "a_press_waits_for_the_store", Seed(ShrugsOffThePress)),
    Fault("take all who press for one", "a_strangers_press_decides_nothing", Seed(TakesAllForOne)),
    Fault("know one question", "each_question_has_its_own_buttons", Seed(KnowsOneQuestion)),
    Fault("let a press count again", "a_press_delivered_twice_decides_once", Seed(KnowsOneQuestion)),
    Fault("forget questions in a crash", "a_press_after_a_crash_decides", Seed(ForgetsItsQuestions)),
    Fault("hear buttons only", "words_beside_buttons", Seed(HearsButtonsOnly)),
    Fault("note no questions", "a_crash_while_asking_asks_once", Seed(journal=forgetful), ("doubles",)),
    Fault("forget to settle in a crash", "a_crash_while_settling_settles", Seed(journal=StartsClean)),
    replying("hold the first question back", "questions_of_a_turn_keep_their_order", HoldsTheFirstBack),
    Fault("take all words for replies", "words_answer_the_newest_question", Seed(TakesAllForReplies)),
    hearing("lose what is replied to", "a_reply_answers_its_question", _without_reply),
    replying("reverse the options", "options_are_buttons", ReversesTheOptions),
    replying("cut questions short", "a_long_question_has_buttons_once", CutsQuestionsShort),
    Fault("leave decided questions open", "a_decision_is_seen", Seed(channel=ShowsNoDecision)),
    replying("settle in a new message", "a_decision_is_seen", SettlesBeside, "doubles"),
)
