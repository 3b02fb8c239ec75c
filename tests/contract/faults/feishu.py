"""Faults that lie in how the Feishu channel itself is made."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from dataclasses import replace

from parley.channels.feishu import formatting
from parley.channels.feishu.api import FeishuApi, FeishuDestination
from parley.channels.feishu.channel import FeishuChannel, create
from parley.channels.feishu.formatting import MAX_CARD_BYTES
from parley.channels.feishu.inbound.card_actions import CardActionHandler
from parley.channels.feishu.inbound.websocket import EventResult
from parley.channels.feishu.outbound.message_part import MessagePart
from parley.channels.feishu.outbound.reply import FeishuReply
from parley.channels.feishu.outbound.reply_state import PartState
from parley.channels.feishu.pressed_cards import PressedCards
from parley.channels.feishu.question_card import (
    NO_FOOTER,
    CardFooter,
    footer_for,
    question_card_json,
    split_question,
)
from parley.channels.kit.lru import LruCache
from parley.channels.kit.text import chunks
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import ChannelError, DeliveryRejected
from parley.core.model.questions import STOP_QUESTION
from parley.core.model.types import JsonObject, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices, Checkpoint, Inbox, Reply
from parley.core.ports.no_core import tell_nothing
from parley.core.ports.speech import HeardSpeech
from tests.contract.drivers.feishu import FeishuDriver
from tests.contract.drivers.pace import eager
from tests.contract.faults.fault import Fault, answering_bots, without_receipt


def _made_as(kind: type[FeishuChannel]) -> type[FeishuDriver]:
    """A driver whose channel is of this kind."""

    class Driver(FeishuDriver):
        def make_channel(self, services: ChannelServices) -> Channel:
            made = create(self.config(), services)
            made.__class__ = kind
            return eager(made)

    return Driver


def _replying(kind: type[FeishuReply], cards: bool = True) -> type[FeishuDriver]:
    """A driver whose channel makes replies of this kind, and answers presses with cards or without."""

    class Replies(FeishuChannel):
        def _presses(self, inbox: Inbox) -> CardActionHandler:
            if not cards:
                # It is left to what follows to change the card.
                self._services = replace(self._services, outcome=tell_nothing)
            return super()._presses(inbox)

        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            made = super().open_reply(target, checkpoint)
            without_receipt(made).__class__ = kind
            return made

    return _made_as(Replies)


def _carrying(kind: type[MessagePart]) -> type[FeishuDriver]:
    """A driver whose replies are carried so."""

    class Carries(FeishuReply):
        def _carrier(self, index: int, part: PartState | None) -> MessagePart:
            made = super()._carrier(index, part)
            made.__class__ = kind
            return made

    return _replying(Carries)


def _calling(kind: type[FeishuApi]) -> type[FeishuDriver]:
    """A driver whose channel calls the platform so."""

    class Calls(FeishuChannel):
        async def listen(self, inbox: Inbox) -> None:
            self._api.__class__ = kind
            await super().listen(inbox)

    return _made_as(Calls)


class Stubborn(MessagePart):
    """Has no other way when a card is refused."""

    async def _lower(self, part: PartState, error: DeliveryRejected) -> None:
        raise error


class LeavesItStreaming(MessagePart):
    """Does not end streaming mode."""

    async def _replace(self, part: PartState, text: str, foot: CardFooter) -> None:
        whole = formatting.card(text, streaming=True, foot=foot.elements)
        await self._operate(part, lambda number: self._api.replace_card(part.card, whole, number))


class LeavesRefusedCards(MessagePart):
    """Shows more plainly what was refused, and leaves the broken card where it is."""

    async def _become(self, part: PartState, left: str = "") -> PartState:
        return await super()._become(part)


class KeepsStopping(MessagePart):
    """Leaves the stop button under an answer that is over."""

    async def settle(self, text: str, foot: CardFooter = NO_FOOTER) -> str:
        return await super().settle(text, CardFooter((self._stop,)))


def _taking(kind: type[CardActionHandler]) -> type[FeishuDriver]:
    """A driver whose channel takes presses so."""

    class Hears(FeishuChannel):
        def _presses(self, inbox: Inbox) -> CardActionHandler:
            made = super()._presses(inbox)
            made.__class__ = kind
            return made

    return _made_as(Hears)


class HearsNoStop(CardActionHandler):
    """Takes a press of the stop button for nothing."""

    async def take(self, payload: bytes) -> EventResult | None:
        return EventResult(done=True) if STOP_QUESTION.encode() in payload else await super().take(payload)


class AnswersPressesWithNothing(CardActionHandler):
    """Acknowledges a press, and tells nobody what came of it."""

    async def take(self, payload: bytes) -> EventResult | None:
        taken = await super().take(payload)
        return None if taken is None else EventResult(taken.done)


class ChangesPressedCardsAtOnce(CardActionHandler):
    """Answers a press without the card, and does not wait for the answer before it changes that."""

    async def take(self, payload: bytes) -> EventResult | None:
        self._pressed.__class__ = NeverPressed
        taken = await super().take(payload)
        if taken is None:
            return None
        # The change is on its way before the answer is.
        await asyncio.sleep(0.1)
        return EventResult(taken.done, {key: taken.answer[key] for key in taken.answer if key != "card"})


class NeverPressed(PressedCards):
    def left(self, message: str) -> float:
        return 0.0


class AnswersPressesLikeMessages(CardActionHandler):
    """Takes a press for an event of some other kind."""

    async def take(self, payload: bytes) -> EventResult | None:
        return None


class LooksNowhereForTheMessage(FeishuReply):
    """Settles what it has just sent itself, and nothing that another process sent."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        return None


class LeavesTheButtons(FeishuReply):
    """Changes the words of a decided question, not its buttons."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        button: JsonObject = {"tag": "button", "text": {"tag": "plain_text", "content": "Ship it"}}
        message = self._handle.parts[-1].message
        await self._shared.pressed.wait(message)
        await self._shared.api.patch(message, question_card_json(snapshot.text, CardFooter((button,))))


class SettlesTheFirstPart(FeishuReply):
    """Writes all of a decided question into its first message."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        await self._carriers[0].rewrite(snapshot.text[:MAX_CARD_BYTES])


class ButtonsUnderEachPart(FeishuReply):
    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        if snapshot.question is None:
            return await super().finish(snapshot)
        foot = footer_for(snapshot.question, self._target)
        for index, text in enumerate(split_question(snapshot.text, foot)):
            await self._at(index).settle(text, foot)
        return Receipt(())


def _parts(cut: Callable[[str], list[str]]) -> type[FeishuReply]:
    """Replies that are cut so."""

    class Cuts(FeishuReply):
        async def finish(self, snapshot: OutboundMessage) -> Receipt:
            texts = cut(snapshot.text)
            for index, text in enumerate(texts):
                await self._at(index).settle(text)
            await self._take_away_after(len(texts))
            return Receipt(())

    return Cuts


def _forgets_code(text: str) -> list[str]:
    return [part.strip("\n") for part in chunks(text, MAX_CARD_BYTES // 2)]


class SendsAnew(FeishuReply):
    """Names each message otherwise each time it is sent, and notes which ones only when all of them are."""

    def _carrier(self, index: int, part: PartState | None) -> MessagePart:
        self._target = replace(self._target, turn_id=secrets.token_hex(8))
        return super()._carrier(index, part)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        checkpoint, self._checkpoint = self._checkpoint, _forget
        receipt = await super().finish(snapshot)
        self._checkpoint = checkpoint
        await self._note(self._handle)
        return receipt

    async def show(self, snapshot: OutboundMessage) -> None:
        return None


async def _forget(handle: str) -> None:
    return None


class ReadsCardsLazily(FeishuApi):
    """Asks for a message as everybody does, and gets a hint to update the client where there is a card."""

    async def message(self, message: str) -> tuple[JsonObject, ...]:
        first, *others = await super().message(message)
        hint: JsonObject = {"content": json.dumps({"title": None, "elements": []})}
        return ({**first, "body": dict(hint)}, *others)


class ForgetsWhatItSaid(FeishuChannel):
    async def listen(self, inbox: Inbox) -> None:
        self._api.__class__ = ReadsCardsLazily
        self._shared = replace(self._shared, said=LruCache[str](0))
        await super().listen(inbox)


class HearsNothingItself(FeishuChannel):
    """Leaves what people say to the service."""

    @property
    def recognizes(self) -> bool:
        return False


class StopsAtARefusal(FeishuChannel):
    """Takes what Feishu refuses to hear for silence."""

    async def recognize(self, file: StoredFile) -> HeardSpeech:
        try:
            return await super().recognize(file)
        except ChannelError:
            return HeardSpeech("")


class AnswersAside(FeishuApi):
    """Sends to the chat and answers nobody."""

    async def send(self, place: FeishuDestination, kind: str, content: JsonObject, uuid: str) -> str:
        return await super().send(replace(place, answered=""), kind, content, uuid)


FAULTS = (
    Fault(
        "ask no platform what was said",
        "the_platform_is_asked_what_was_said",
        driver=_made_as(HearsNothingItself),
    ),
    Fault(
        "hear silence where it is refused",
        "the_platform_is_asked_what_was_said",
        driver=_made_as(StopsAtARefusal),
    ),
    Fault("insist on refused cards", "refused_marks_leave_the_words", driver=_carrying(Stubborn)),
    Fault("never end streaming", "grows_and_is_whole", driver=_carrying(LeavesItStreaming)),
    Fault(
        "leave refused cards standing", "refused_marks_leave_the_words", driver=_carrying(LeavesRefusedCards)
    ),
    Fault("let tags be dropped", "awkward_text_survives", driver=_replying(_parts(lambda text: [text]))),
    Fault(
        "count characters",
        "parts_are_within_the_limit",
        driver=_replying(_parts(lambda text: list(chunks(text, MAX_CARD_BYTES)))),
    ),
    Fault(
        "tear words",
        "parts_are_within_the_limit",
        driver=_replying(_parts(lambda text: [text[at : at + 6000] for at in range(0, len(text), 6000)])),
    ),
    Fault(
        "forget code in later parts",
        "code_stays_code_in_every_part",
        driver=_replying(_parts(_forgets_code)),
    ),
    Fault(
        "send parts backwards",
        "a_huge_answer_arrives_whole",
        driver=_replying(_parts(lambda text: list(chunks(text, MAX_CARD_BYTES))[::-1])),
    ),
    Fault("send parts anew after a crash", "crash_between_parts", driver=_replying(SendsAnew)),
    Fault("read quoted cards as hints", "a_reply_to_us_is_for_us", driver=_made_as(ForgetsWhatItSaid)),
    Fault("acknowledge presses in silence", "who_presses_is_told", driver=_taking(AnswersPressesWithNothing)),
    Fault("change pressed cards at once", "a_decision_stays_seen", driver=_taking(ChangesPressedCardsAtOnce)),
    Fault("take presses for other events", "a_press_decides", driver=_taking(AnswersPressesLikeMessages)),
    Fault(
        "settle only what it remembers",
        "a_crash_while_settling_settles",
        driver=_replying(LooksNowhereForTheMessage, cards=False),
    ),
    Fault(
        "leave the buttons standing", "a_decision_is_seen", driver=_replying(LeavesTheButtons, cards=False)
    ),
    Fault("settle the first part", "a_long_question_has_buttons_once", driver=_replying(SettlesTheFirstPart)),
    Fault(
        "put buttons under each part",
        "a_long_question_has_buttons_once",
        driver=_replying(ButtonsUnderEachPart),
    ),
    Fault("leave the stop button", "the_stop_button_keeps_what_was_said", driver=_carrying(KeepsStopping)),
    Fault("ignore the stop button", "the_stop_button_keeps_what_was_said", driver=_taking(HearsNoStop)),
    Fault("answer beside the topic", "topics_are_apart", driver=_calling(AnswersAside)),
    answering_bots(FeishuDriver),
)
