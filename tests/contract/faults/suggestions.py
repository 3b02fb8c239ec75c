"""Faults in how suggestions stand under answers, and in what a press of one asks."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.questions import Click
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Inbox
from tests.contract.faults.fault import Around, AroundReply, Fault, replying
from tests.contract.faults.feedback import KnowsItsOwnAnswersOnly, TakesAllRatersForOne
from tests.contract.faults.questions import DeafToButtons
from tests.contract.harness.parley_process import Seed


class LeavesSuggestionsOut(AroundReply):
    """Shows no suggestions."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return await self.inner.finish(replace(snapshot, suggestions=()))


class ForgetsThumbs(AroundReply):
    """Shows thumbs only where nothing is suggested."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        rateable = snapshot.rateable and not snapshot.suggestions
        return await self.inner.finish(replace(snapshot, rateable=rateable))


class MiscountsSuggestions(Around):
    """Takes each suggestion for the one before it."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        option = str(int(click.option) - 1) if click.option.isdecimal() else click.option
        return await inbox.decide(replace(click, option=option))


class LosesTheChat(Around):
    """Takes every press for one in another chat."""

    async def decide(self, inbox: Inbox, click: Click) -> str:
        elsewhere = replace(click.conversation, chat=f"{click.conversation.chat}0")
        return await inbox.decide(replace(click, conversation=elsewhere))


_PRESSED = ("groups",)
"""Platforms on which a press is told to us: the page sends the words."""

FAULTS = (
    replying("leave the suggestions out", "suggestions_stand_under_an_answer", LeavesSuggestionsOut),
    replying("forget the thumbs beside suggestions", "suggestions_stand_beside_thumbs", ForgetsThumbs),
    Fault("miscount the suggestions", "a_pressed_suggestion_is_asked", Seed(MiscountsSuggestions), _PRESSED),
    Fault("hear no suggestion", "a_pressed_suggestion_is_asked", Seed(DeafToButtons), _PRESSED),
    Fault(
        "forget suggestions in a crash",
        "a_suggestion_from_before_a_crash_is_asked",
        Seed(KnowsItsOwnAnswersOnly),
        _PRESSED,
    ),
    Fault(
        "take all who ask for one", "everybody_in_a_group_may_press_a_suggestion", Seed(TakesAllRatersForOne)
    ),
    Fault(
        "take a press to another chat",
        "a_pressed_suggestion_stays_in_its_topic",
        Seed(LosesTheChat),
        _PRESSED,
    ),
)
