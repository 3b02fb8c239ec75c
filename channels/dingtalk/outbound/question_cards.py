"""Questions on cards: shown with buttons, and without them once they are decided."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from parley.channels.dingtalk.api import DingTalkApi, DingTalkDestination
from parley.channels.dingtalk.config import Config
from parley.channels.dingtalk.formatting import title
from parley.channels.dingtalk.outbound.ai_cards import FINISHED, FLOW_STATUS
from parley.channels.dingtalk.outbound.card_delivery import CardSummary, deliver_card
from parley.channels.dingtalk.question_layout import (
    BUTTONS,
    WORDS,
    buttons_of,
    encode_buttons,
    out_track_id,
    settled_parts,
    split_question,
    with_options_as_text,
)
from parley.channels.dingtalk.unanswered_presses import AFTER_PRESS, UnansweredPresses
from parley.channels.dingtalk.user_lookup import DingTalkUserLookup
from parley.core.model.errors import DeliveryRejected
from parley.core.model.questions import Question
from parley.core.model.types import Json, JsonObject, ReplyTarget

log = logging.getLogger(__name__)


class QuestionCards:
    """The question cards of one app. Every method raises ChannelError."""

    def __init__(
        self,
        api: DingTalkApi,
        config: Config,
        people: DingTalkUserLookup,
        unanswered: UnansweredPresses,
    ) -> None:
        self._unanswered = unanswered
        self._api = api
        self._template = config.question_template_id
        # A template for answers, too, has states: buttons are on a card that does not grow.
        self._states: JsonObject = {}
        if self._template == config.card_template_id:
            self._states = {FLOW_STATUS: FINISHED}
        self._people = people

    async def ask(
        self,
        place: DingTalkDestination,
        target: ReplyTarget,
        question: Question,
        text: str,
        shown: int,
        note: Callable[[int], Awaitable[None]],
    ) -> None:
        """Show a question, of which the first `shown` cards stand; `note` is told of each one more."""
        buttons = buttons_of(question, target, self._people.home)
        whole = text if buttons else with_options_as_text(question, text, target.asker.language)
        texts = split_question(whole)
        for index in range(shown, len(texts)):
            here = buttons if index == len(texts) - 1 else ()
            values: dict[str, Json] = {WORDS: texts[index], BUTTONS: encode_buttons(here), **self._states}
            track = out_track_id(target.turn_id, index)
            summary = CardSummary(title(texts[index]))
            await deliver_card(self._api, place, self._template, track, values, summary, forward=False)
            await note(index + 1)

    async def settle(self, question: str, text: str, count: int) -> None:
        """Let the `count` cards of a question say what was decided, and take the buttons away.

        Not while DingTalk waits for our answer to the press that decided: it undoes such a change. The pause
        is also for a press that another node answers.
        """
        await asyncio.sleep(AFTER_PRESS)
        await self._unanswered.wait_answered(question)
        for index, words in enumerate(settled_parts(text, count)):
            track = out_track_id(question, index)
            try:
                await self._change(track, {WORDS: words, BUTTONS: encode_buttons(())})
            except DeliveryRejected as error:
                log.info("dingtalk: a decided question keeps its words (%s)", error)
                await self._change(track, {BUTTONS: encode_buttons(())})

    async def _change(self, track: str, values: JsonObject) -> None:
        body: JsonObject = {
            "outTrackId": track,
            "cardData": {"cardParamMap": dict(values)},
            # Otherwise all other variables would be emptied.
            "cardUpdateOptions": {"updateCardDataByKey": True},
        }
        await self._api.call("PUT", "/v1.0/card/instances", body)
