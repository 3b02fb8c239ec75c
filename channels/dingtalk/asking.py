"""Questions on cards: shown with buttons, and without them once they are decided."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from parley.channels.dingtalk.api import Api, Place
from parley.channels.dingtalk.bucket import Bucket
from parley.channels.dingtalk.cards import put_up
from parley.channels.dingtalk.people import People
from parley.channels.dingtalk.question import (
    BUTTONS,
    WORDS,
    buttons_of,
    in_words,
    listed,
    parts_of,
    settled_parts,
    track_of,
)
from parley.core.errors import DeliveryRejected
from parley.core.types import Json, JsonObject, Question, ReplyTarget

log = logging.getLogger(__name__)


class QuestionCards:
    """The question cards of one app, made from its `template`. Every method raises ChannelError."""

    def __init__(self, api: Api, template: str, pace: Bucket, people: People) -> None:
        self._api = api
        self._template = template
        self._pace = pace
        self._people = people

    async def ask(
        self,
        place: Place,
        target: ReplyTarget,
        question: Question,
        text: str,
        shown: int,
        note: Callable[[int], Awaitable[None]],
    ) -> None:
        """Show a question, of which the first `shown` cards stand; `note` is told of each one more."""
        buttons = buttons_of(question, target, self._people.home)
        whole = text if buttons else in_words(question, text, target.asker.language)
        texts = parts_of(whole, buttons)
        for index in range(shown, len(texts)):
            here = buttons if index == len(texts) - 1 else ()
            values: dict[str, Json] = {WORDS: texts[index], BUTTONS: listed(here)}
            track = track_of(target.turn_id, index)
            await self._pace.final()
            await put_up(self._api, place, self._template, track, values, forward=False)
            await note(index + 1)

    async def settle(self, question: str, text: str, count: int) -> None:
        """Let the `count` cards of a question say what was decided, and take the buttons away."""
        for index, words in enumerate(settled_parts(text, count)):
            track = track_of(question, index)
            await self._pace.final()
            try:
                await self._change(track, {WORDS: words, BUTTONS: listed(())})
            except DeliveryRejected as error:
                log.info("dingtalk: a decided question keeps its words (%s)", error)
                await self._pace.final()
                await self._change(track, {BUTTONS: listed(())})

    async def _change(self, track: str, values: JsonObject) -> None:
        body: JsonObject = {
            "outTrackId": track,
            "cardData": {"cardParamMap": dict(values)},
            # Otherwise all other variables would be emptied.
            "cardUpdateOptions": {"updateCardDataByKey": True},
        }
        await self._api.call("PUT", "/v1.0/card/instances", body)
