"""Presses of a question's buttons. DingTalk tells of each once, and waits some seconds for the answer.

The answer fills the private variable of whoever pressed: what is told them, nobody else sees.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from parley.channels.dingtalk.inbound.message_parser import MOST_ID, NAME
from parley.channels.dingtalk.question_layout import (
    HOME,
    LANGUAGE,
    NOTE,
    OPTION,
    PRIVATE,
    TOPIC,
    question_id_in,
)
from parley.channels.dingtalk.sdk import AckMessage, CallbackHandler, CallbackMessage
from parley.channels.dingtalk.user_lookup import EXTERNAL_ID_PREFIX, DingTalkUserLookup
from parley.channels.kit.text import chunks, wellformed
from parley.core.model.address import Conversation, User
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import Json, JsonObject
from parley.core.ports.channel import Inbox
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)

PAUSES = (0.1, 0.2, 0.4)
"""Seconds between attempts while the store is away: with a name to look up before, all within three."""
MAX_PENDING = 1000
"""Presses that may wait; when there are more, the connection is not read on."""
MOST_OPTION = 200
MOST_NOTE = 200
MALFORMED = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError)
"""Whatever the SDK and we may raise over a payload that is not as it should be."""

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
    """The press in a frame with this number; nothing for cards that are no questions of ours.

    Raises those of RUBBISH for what no platform should send.
    """
    question = question_id_in(_text(data, "outTrackId"))
    if not question:
        return None
    presser = _id(data, "userId")
    content: Json = json.loads(_text(data, "content"))
    sent = _object(_object(_whole(content), "cardPrivateData"), "params")
    private = _text(sent, PRIVATE) == "yes"
    chat = presser if private else _id(data, "spaceId")
    return CardCallback(
        id=number,
        question=question,
        option=_text(sent, OPTION)[:MOST_OPTION],
        presser=presser,
        corp=_text(data, "corpId")[:MOST_ID],
        home=_text(sent, HOME)[:MOST_ID],
        conversation=Conversation(NAME, chat, _text(sent, TOPIC)[:MOST_ID] or None),
        private=private,
        language=_text(sent, LANGUAGE),
    )


def notice_response(told: str) -> JsonObject:
    """The answer to a press by which its person, and nobody else, is told something."""
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
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        super().__init__()
        self._inbox, self._people = inbox, people
        self._guests, self._pauses = guests, pauses

    async def process(self, callback: CallbackMessage) -> tuple[int, JsonObject]:
        """Have a press decide, once it is on disk. What is no press of ours is answered with nothing."""
        try:
            pressed = parse_card_callback(
                _id({"id": callback.headers.message_id}, "id"), _whole(callback.data)
            )
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
        """What to tell who pressed."""
        click = Click(
            id=pressed.id,
            question=pressed.question,
            option=pressed.option,
            sender=User(NAME, pressed.presser, await self._people.name_of(pressed.presser), pressed.corp),
            conversation=pressed.conversation,
            private=pressed.private,
        )
        for pause in (*self._pauses, 0.0):
            try:
                return await self._inbox.decide(click)
            except StoreUnavailable as error:
                log.warning("dingtalk: press %s waits, the store is away (%s)", pressed.id, error)
                await asyncio.sleep(pause)
        return say(language_of(pressed.language), Sentence.QUESTION_LOST)


class CardCallbackQueue:
    """Presses on their way; none waits for another, and none for messages."""

    def __init__(
        self, people: DingTalkUserLookup, guests: frozenset[str], pauses: Sequence[float] = PAUSES
    ) -> None:
        self._people, self._guests, self._pauses = people, guests, pauses
        self._waiting: asyncio.Queue[tuple[CallbackMessage, SendAnswer]] = asyncio.Queue(MAX_PENDING)

    async def put(self, callback: CallbackMessage, answer: SendAnswer) -> None:
        """Take a press; returns when there is room."""
        await self._waiting.put((callback, answer))

    async def run(self, inbox: Inbox) -> None:
        """Have presses decide until cancelled."""
        pressing = CardCallbackHandler(inbox, self._people, self._guests, self._pauses)
        async with asyncio.TaskGroup() as group:
            while True:
                callback, answer = await self._waiting.get()
                group.create_task(_take(pressing, callback, answer), name="dingtalk press")


async def _take(pressing: CardCallbackHandler, callback: CallbackMessage, answer: SendAnswer) -> None:
    ack = await pressing.raw_process(callback)
    await answer(json.dumps(ack.to_dict()))


def _whole(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _object(value: JsonObject, key: str) -> JsonObject:
    return _whole(value.get(key))


def _text(value: JsonObject, key: str) -> str:
    found = value.get(key)
    return wellformed(found) if isinstance(found, str) else ""


def _id(value: JsonObject, key: str) -> str:
    found = _text(value, key)
    if not found.strip() or len(found) > MOST_ID:
        raise ValueError(f"no {key}")
    return found
