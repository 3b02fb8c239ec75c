"""Presses of buttons. Feishu waits three seconds for the answer, and never tells of one press twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from parley.channels.feishu.fields import id_at, id_if_any, is_foreign
from parley.channels.feishu.formatting import MAX_CARD_BYTES
from parley.channels.feishu.inbound.event_parser import NAME
from parley.channels.feishu.inbound.user_lookup import FeishuUserLookup
from parley.channels.feishu.inbound.websocket import EventResult
from parley.channels.feishu.pressed_cards import PressedCards
from parley.channels.feishu.question_card import (
    INPUT,
    NO_FOOTER,
    OPTION,
    PRIVATE,
    QUESTION,
    TOPIC,
    question_card_json,
    split_question,
)
from parley.channels.kit.fields import MALFORMED, json_object, object_at, text_or_empty
from parley.channels.kit.retry import RetryPauses, retry
from parley.channels.kit.text import chunks
from parley.core.model.address import Conversation, User
from parley.core.model.errors import StoreUnavailable
from parley.core.model.questions import Click
from parley.core.model.types import Json
from parley.core.ports.channel import Inbox

log = logging.getLogger(__name__)

CARD_ACTION = "card.action.trigger"
PAUSES = RetryPauses(0.1, attempts=3)
"""Seconds between attempts while the store is away: with a name to look up before, all within the three."""
OUTCOME_TIMEOUT = 0.25
"""Seconds to ask the store how the card reads then."""
MOST_OPTION = 200
_MOST_TOAST = 200


@dataclass(frozen=True, slots=True)
class CardAction:
    """A press of one of our buttons as the event tells it; `text` is what a form's input held."""

    id: str
    message: str
    conversation: Conversation
    private: bool
    presser: str
    question: str
    option: str
    text: str
    foreign: bool


def parse_card_action(payload: bytes) -> CardAction | None:
    """Return the press in an event, or nothing for other events, and for buttons that are not ours.

    Raises ValueError for what no platform should send.
    """
    if CARD_ACTION.encode() not in payload:
        # Most events are none, and so they are not decoded twice.
        return None
    event = json_object(payload)
    header = object_at(event, "header")
    if header.get("event_type") != CARD_ACTION:
        return None
    body = object_at(event, "event")
    presser, action = object_at(body, "operator"), object_at(body, "action")
    sent = action.get("value")
    if not isinstance(sent, dict) or QUESTION not in sent:
        return None
    where = object_at(body, "context")
    chat = id_at(where, "open_chat_id")
    return CardAction(
        id=id_at(header, "event_id"),
        message=id_if_any(where, "open_message_id"),
        conversation=Conversation(NAME, chat, id_if_any(sent, TOPIC) or None),
        private=sent.get(PRIVATE) is True,
        presser=id_at(presser, "open_id"),
        question=id_at(sent, QUESTION),
        option=text_or_empty(sent, OPTION)[:MOST_OPTION],
        text=text_or_empty(object_at(action, "form_value"), INPUT) if "form_value" in action else "",
        foreign=is_foreign(header, presser),
    )


def toast(told: str) -> dict[str, Json]:
    """Return the answer to a press by which its person, and nobody else, is told something."""
    words = told.partition("\n```")[0].strip()
    return {"toast": {"type": "info", "content": next(chunks(words, _MOST_TOAST), "")}} if words else {}


def decided_card(text: str) -> dict[str, Json]:
    """Return the answer to a press by which its card changes for everybody at once.

    Where the text needs several messages the card is left to what is sent afterwards.
    """
    texts = split_question(text) if text else ()
    if len(texts) != 1:
        return {}
    return {"card": {"type": "raw", "data": dict(question_card_json(texts[0], NO_FOOTER))}}


class CardActionHandler:
    """Takes presses; `guests` are people of other tenants who may talk. `outcome` tells what one decides."""

    def __init__(
        self,
        inbox: Inbox,
        names: FeishuUserLookup,
        guests: frozenset[str],
        outcome: Callable[[Click, int], Awaitable[str]],
        pressed: PressedCards,
    ) -> None:
        self._inbox, self._names, self._guests = inbox, names, guests
        self._outcome, self._pressed = outcome, pressed

    async def take(self, payload: bytes) -> EventResult | None:
        """Return the answer to a press; None for an event that is none."""
        try:
            pressed = parse_card_action(payload)
        except MALFORMED as error:
            log.warning("feishu: a press cannot be read and is skipped: %s", type(error).__name__)
            return EventResult(done=True)
        if pressed is None:
            return None
        if pressed.foreign and pressed.presser not in self._guests:
            log.info("feishu: %s of another tenant may not press", pressed.presser)
            return EventResult(done=True)
        self._pressed.press(pressed.message)
        try:
            return await self._decide(pressed)
        finally:
            self._pressed.answer(pressed.message)

    async def _decide(self, pressed: CardAction) -> EventResult:
        click = Click(
            id=pressed.id,
            question=pressed.question,
            option=pressed.option,
            sender=User(NAME, pressed.presser, await self._names.get_name(pressed.presser)),
            conversation=pressed.conversation,
            private=pressed.private,
            text=pressed.text,
        )
        try:
            told = await retry(
                lambda: self._inbox.decide(click),
                lambda error: log.warning(
                    "feishu: press %s waits, the store is away (%s)", pressed.id, error
                ),
                PAUSES,
            )
        except StoreUnavailable:
            # The person's client then says that it did not work, and the button is still there.
            return EventResult(done=False)
        return EventResult(done=True, answer=toast(told) | decided_card(await self._decided(click)))

    async def _decided(self, click: Click) -> str:
        """Return what the card says now; "" where that is to be said later."""
        try:
            async with asyncio.timeout(OUTCOME_TIMEOUT):
                return await self._outcome(click, MAX_CARD_BYTES)
        except (StoreUnavailable, TimeoutError) as error:
            log.info("feishu: the card of press %s changes later (%s)", click.id, type(error).__name__)
            return ""
