"""AI cards: messages that grow. `outTrackId` names a card, so making one again makes no second one."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from parley.channels.dingtalk.api import DingTalkApi, DingTalkDestination
from parley.channels.dingtalk.config import Config
from parley.channels.dingtalk.outbound.card_delivery import CardSummary, deliver_card
from parley.channels.dingtalk.question_layout import BUTTONS, answer_track_id, encode_buttons, fitting_buttons
from parley.channels.dingtalk.unanswered_presses import UnansweredPresses
from parley.channels.dingtalk.user_lookup import DingTalkUserLookup
from parley.channels.kit.fields import compact_json
from parley.core.model.errors import DeliveryRejected
from parley.core.model.questions import Question, stop_question
from parley.core.model.types import Json, JsonObject, ReplyTarget
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

PUBLIC_TEMPLATE = "382e4302-551d-4880-bf29-a30acfab2e71.schema"
"""DingTalk's own template, that of AIMarkdownCardInstance in its SDK: any app may make cards of it."""
PUBLIC_KEY = "msgContent"
_ORDER = ("msgTitle", PUBLIC_KEY, "staticMsgContent", "msgTextList", "msgImages", "msgSlider", "msgButtons")
FLOW_STATUS = "flowStatus"
"""The variable with the state of an AI card: one of the next three."""
STARTED, GROWING, FINISHED = "1", "2", "3"
"""Before its first text, while it grows, and when it grows no more."""
WITHOUT_CARDS = 1800.0
"""Seconds for which no card is made once DingTalk said that the app may not, or not from this template."""
_FORBIDDEN = re.compile(r"template|permission|forbidden|accessdenied|scope|notauthorized", re.IGNORECASE)


class AiCards:
    """The cards of one app. Every method raises ChannelError; `clock` is monotonic."""

    def __init__(
        self,
        api: DingTalkApi,
        config: Config,
        people: DingTalkUserLookup,
        unanswered: UnansweredPresses,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._api = api
        self._public = not config.card_template_id
        self._template = config.card_template_id or PUBLIC_TEMPLATE
        self._key = PUBLIC_KEY if self._public else config.card_content_key
        self._people, self._unanswered = people, unanswered
        # A template that is for questions, too, has buttons.
        own = config.card_template_id
        self._has_buttons = own != "" and own == config.question_template_id
        self._clock = clock
        self._off_until = float("-inf")
        self._growing: set[str] = set()

    @property
    def usable(self) -> bool:
        """Whether DingTalk let us make cards when we asked last."""
        return self._clock() >= self._off_until

    async def make(
        self, place: DingTalkDestination, track: str, summary: CardSummary, stops: ReplyTarget | None = None
    ) -> str:
        """Put a card in its place, still empty; nothing new when it is there. With `stops`, an answer that
        grows, it has a stop button where the template has buttons.

        Returns what quotes name it by.
        """
        values: dict[str, Json] = {self._key: ""}
        if self._has_buttons and stops is not None:
            label = say(language_of(stops.asker.language), Sentence.STOP_BUTTON)
            values[BUTTONS] = self._buttons(stop_question(stops.turn_id, label), stops)
        if self._public:
            order: JsonObject = {"order": list(_ORDER)}
            values |= {FLOW_STATUS: STARTED, "sys_full_json_obj": compact_json(order)}
        try:
            return await deliver_card(self._api, place, self._template, track, values, summary, forward=True)
        except DeliveryRejected as error:
            if _FORBIDDEN.search(str(error)[:500]):
                log.warning("dingtalk: answers are plain messages for a while, no cards: %s", error)
                self._off_until = self._clock() + WITHOUT_CARDS
            raise

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        """Give the card its whole text from now on; after a final one it grows no more."""
        if self._public and track not in self._growing:
            await self._set(track, {FLOW_STATUS: GROWING})
            self._growing.add(track)
        body: JsonObject = {
            "outTrackId": track,
            # A text may come back that was there before, so it cannot name the call.
            "guid": str(uuid4()),
            "key": self._key,
            "content": text,
            "isFull": True,
            "isFinalize": final,
            "isError": False,
        }
        await self._api.call("PUT", "/v1.0/card/streaming", body)
        if final and self._public:
            await self._set(track, {FLOW_STATUS: FINISHED})
        if final:
            self._growing.discard(track)

    async def replace(self, track: str, text: str) -> None:
        """Do the same as a final text by another way, which has limits of its own."""
        await self._set(track, {self._key: text, FLOW_STATUS: FINISHED})
        self._growing.discard(track)

    async def change_buttons(self, target: ReplyTarget, index: int, question: Question | None) -> None:
        """Give one of an answer's cards the buttons of a question, or none: not while DingTalk waits for our
        answer to a press there, which would undo it.
        """
        if not self._has_buttons:
            return
        await self._unanswered.wait_answered(target.turn_id)
        buttons = encode_buttons(()) if question is None else self._buttons(question, target)
        try:
            await self._set(answer_track_id(target.turn_id, index), {BUTTONS: buttons})
        except DeliveryRejected as error:
            log.info("dingtalk: the buttons of an answer stay as they are: %s", error)

    def _buttons(self, question: Question, target: ReplyTarget) -> str:
        return encode_buttons(fitting_buttons(question, target, self._people.home))

    async def _set(self, track: str, values: JsonObject) -> None:
        body: JsonObject = {
            "outTrackId": track,
            "cardData": {"cardParamMap": dict(values)},
            "cardUpdateOptions": {"updateCardDataByKey": True},
        }
        await self._api.call("PUT", "/v1.0/card/instances", body)
