"""Presses of buttons. DingTalk tells of each once, and waits some seconds for the answer.

The answer fills the private variable of whoever pressed: what is told them, nobody else sees.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from parley.channels.dingtalk.inbound.message_parser import MOST_ID, NAME
from parley.channels.dingtalk.question_layout import (
    HOME,
    LANGUAGE,
    NOTE,
    OPTION,
    PRIVATE,
    TOPIC,
    action_values,
    answered_turn_in,
    question_id_in,
    under_answer,
)
from parley.channels.dingtalk.sdk import AckMessage, CallbackHandler, CallbackMessage
from parley.channels.dingtalk.unanswered_presses import AFTER_PRESS, UnansweredPresses
from parley.channels.dingtalk.user_lookup import EXTERNAL_ID_PREFIX, DingTalkUserLookup
from parley.channels.kit.fields import MALFORMED, json_object, object_at, object_or_empty, text_or_empty
from parley.channels.kit.retry import RetryPauses, retry
from parley.channels.kit.text import chunks
from parley.core.model.address import Conversation, User
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import JsonObject
from parley.core.ports.channel import Inbox
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

PAUSES = RetryPauses(0.1, attempts=2)
"""Seconds between attempts while the store is away."""
ANSWER_TIME = 1.6
"""Seconds for all of it: DingTalk waits for two."""
MAX_PENDING = 1000
"""Presses that may wait; when there are more, the connection is not read on."""
MOST_OPTION = 200
MOST_NOTE = 200

SendAnswer = Callable[[str], Awaitable[None]]
"""Sends a frame back on the connection that a frame came from; it may be gone."""


@dataclass(frozen=True, slots=True)
class CardCallback:
    """A press of one of our buttons. `corp` is the presser's organisation and `home` ours, as far as told."""

    id: str
    question: str
    option: str
    presser: str
    corp: str
    home: str
    conversation: Conversation
    private: bool
    language: str


def parse_card_callback(number: str, data: JsonObject) -> CardCallback | None:
    """Return the press in a frame with this number; nothing for cards that are no questions of ours.

    Raises those of MALFORMED for what no platform should send.
    """
    track = text_or_empty(data, "outTrackId")
    turn = answered_turn_in(track)
    asked = turn or question_id_in(track)
    if not asked:
        return None
    presser = _id(data, "userId")
    content = json_object(text_or_empty(data, "content"))
    sent = _sent(data, content)
    option = text_or_empty(sent, OPTION)[:MOST_OPTION]
    question, option = under_answer(turn, option) if turn else (asked, option)
    private = text_or_empty(sent, PRIVATE) == "yes"
    chat = presser if private else _id(data, "spaceId")
    return CardCallback(
        id=number,
        question=question,
        option=option,
        presser=presser,
        corp=text_or_empty(data, "corpId")[:MOST_ID],
        home=text_or_empty(sent, HOME)[:MOST_ID],
        conversation=Conversation(NAME, chat, text_or_empty(sent, TOPIC)[:MOST_ID] or None),
        private=private,
        language=text_or_empty(sent, LANGUAGE),
    )


def _sent(data: JsonObject, content: JsonObject) -> JsonObject:
    """Return what a button sends back, from wherever DingTalk puts it: its values, or at least its name."""
    private = object_or_empty(content, "cardPrivateData")
    for place in (private, content, data):
        if (found := object_or_empty(place, "params")).get(OPTION):
            return found
    for place in (private, content, data):
        listed = place.get("actionIds")
        names = [*(listed if isinstance(listed, list) else ()), place.get("actionId")]
        for name in names:
            if isinstance(name, str) and (found := action_values(name[:MOST_OPTION])):
                return found
    raise ValueError("a press without an option")


def notice_response(told: str) -> JsonObject:
    """Return the answer to a press by which its person, and nobody else, is told something."""
    words = next(chunks(told.partition("\n```")[0].strip(), MOST_NOTE), "")
    if not words:
        return {}
    return {
        "cardUpdateOptions": {"updateCardDataByKey": True, "updatePrivateDataByKey": True},
        "userPrivateData": {"cardParamMap": {NOTE: words}},
    }


class CardCallbackHandler(CallbackHandler):  # type: ignore[misc]
    """The SDK's handler for presses. `guests` are people of other organisations who may talk."""

    def __init__(
        self,
        inbox: Inbox,
        people: DingTalkUserLookup,
        guests: frozenset[str],
    ) -> None:
        super().__init__()
        self._inbox, self._people = inbox, people
        self._guests = guests

    async def process(self, callback: CallbackMessage) -> tuple[int, JsonObject]:
        """Have a press decide, once it is on disk. What is no press of ours is answered with nothing."""
        try:
            frame = {"id": callback.headers.message_id, "data": callback.data}
            pressed = parse_card_callback(_id(frame, "id"), object_at(frame, "data"))
        except MALFORMED as error:
            log.warning("dingtalk: a press cannot be read and is skipped: %s", type(error).__name__)
            pressed = None
        if pressed is None:
            return AckMessage.STATUS_OK, {}
        if self._is_foreign(pressed):
            log.info("dingtalk: %s of another organisation may not press", pressed.presser)
            return AckMessage.STATUS_OK, {}
        return AckMessage.STATUS_OK, notice_response(await self._decide(pressed))

    def _is_foreign(self, pressed: CardCallback) -> bool:
        home = pressed.home or self._people.home
        abroad = bool(home and pressed.corp) and home != pressed.corp
        return (
            abroad or pressed.presser.startswith(EXTERNAL_ID_PREFIX)
        ) and pressed.presser not in self._guests

    async def _decide(self, pressed: CardCallback) -> str:
        """Return what to tell who pressed."""
        click = Click(
            id=pressed.id,
            question=pressed.question,
            option=pressed.option,
            sender=User(NAME, pressed.presser, await self._people.name_of(pressed.presser), pressed.corp),
            conversation=pressed.conversation,
            private=pressed.private,
        )

        def waits(error: Exception) -> None:
            log.warning("dingtalk: press %s waits, the store is away (%s)", pressed.id, error)

        try:
            async with asyncio.timeout(ANSWER_TIME):
                return await retry(lambda: self._inbox.decide(click), waits, PAUSES)
        except (StoreUnavailable, TimeoutError):
            return say(language_of(pressed.language), Sentence.QUESTION_LOST)


class CardCallbackQueue:
    """Presses on their way; none waits for another, and none for messages."""

    def __init__(
        self, people: DingTalkUserLookup, guests: frozenset[str], unanswered: UnansweredPresses
    ) -> None:
        self._people, self._guests = people, guests
        self.unanswered = unanswered
        self._waiting: asyncio.Queue[tuple[CallbackMessage, SendAnswer]] = asyncio.Queue(MAX_PENDING)

    async def put(self, callback: CallbackMessage, answer: SendAnswer) -> None:
        """Take a press; returns when there is room."""
        await self._waiting.put((callback, answer))

    async def run(self, inbox: Inbox) -> None:
        """Have presses decide until cancelled."""
        pressing = CardCallbackHandler(inbox, self._people, self._guests)
        async with asyncio.TaskGroup() as group:
            while True:
                callback, answer = await self._waiting.get()
                group.create_task(self._take(pressing, callback, answer), name="dingtalk press")

    async def _take(
        self, pressing: CardCallbackHandler, callback: CallbackMessage, answer: SendAnswer
    ) -> None:
        track = text_or_empty(callback.data, "outTrackId") if isinstance(callback.data, dict) else ""
        turn = answered_turn_in(track)
        with self.unanswered.answering(turn or question_id_in(track)):
            ack = await pressing.raw_process(callback)
            await answer(json.dumps(ack.to_dict()))
            if turn:
                # A press that ends an answer is followed by its last words at once.
                await asyncio.sleep(AFTER_PRESS)


def _id(value: JsonObject, key: str) -> str:
    found = text_or_empty(value, key)
    if not found.strip() or len(found) > MOST_ID:
        raise ValueError(f"no {key}")
    return found
