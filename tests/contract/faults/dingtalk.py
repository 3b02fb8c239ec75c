"""Faults that lie in how the DingTalk channel itself is made."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from parley.channels.dingtalk.api import ConnectionTicket, DingTalkApi, DingTalkDestination
from parley.channels.dingtalk.channel import DingTalkChannel, create
from parley.channels.dingtalk.formatting import wire_bytes
from parley.channels.dingtalk.inbound.card_callbacks import CardCallbackQueue, SendAnswer
from parley.channels.dingtalk.outbound.ai_cards import AiCards
from parley.channels.dingtalk.outbound.card_delivery import CardSummary, deliver_card
from parley.channels.dingtalk.outbound.question_cards import QuestionCards
from parley.channels.dingtalk.outbound.reply import DingTalkReply
from parley.channels.dingtalk.question_layout import (
    BUTTONS,
    WORDS,
    buttons_of,
    encode_buttons,
    out_track_id,
    settled_parts,
    split_question,
)
from parley.channels.dingtalk.sdk import CallbackMessage
from parley.channels.kit.markdown.split import split
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import ChannelError, DeliveryRejected
from parley.core.model.questions import Question
from parley.core.model.types import Json, JsonObject, OutboundMessage, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices, Checkpoint, Inbox, Reply
from tests.contract.drivers.dingtalk import DingTalkDriver, DingTalkPlainDriver
from tests.contract.drivers.pace import eager
from tests.contract.faults.fault import Fault, without_receipt


def _made_as(
    kind: type[DingTalkChannel], base: type[DingTalkDriver] = DingTalkDriver
) -> type[DingTalkDriver]:
    """A driver whose channel is of this kind."""

    class Driver(base):  # type: ignore[misc, valid-type]
        def make_channel(self, services: ChannelServices) -> Channel:
            made = create(self.config(), services)
            made.__class__ = kind
            return eager(made)

    return Driver


def _replying(kind: type[DingTalkReply], base: type[DingTalkDriver] = DingTalkDriver) -> type[DingTalkDriver]:
    """A driver whose channel makes replies of this kind."""

    class Replies(DingTalkChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            made = super().open_reply(target, checkpoint)
            without_receipt(made).__class__ = kind
            return made

    return _made_as(Replies, base)


def _carded(kind: type[AiCards]) -> type[DingTalkDriver]:
    """A driver whose channel makes cards of this kind."""

    class Carded(DingTalkChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            assert self._cards is not None
            self._cards.__class__ = kind
            return super().open_reply(target, checkpoint)

    return _made_as(Carded)


def _asking(kind: type[QuestionCards]) -> type[DingTalkDriver]:
    """A driver whose channel asks so."""

    class Asks(DingTalkChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            assert self._questions is not None
            self._questions.__class__ = kind
            return super().open_reply(target, checkpoint)

    return _made_as(Asks)


def _taking(kind: type[CardCallbackQueue]) -> type[DingTalkDriver]:
    """A driver whose channel takes presses so."""

    class Takes(DingTalkChannel):
        async def listen(self, inbox: Inbox) -> None:
            assert self._presses is not None
            self._presses.__class__ = kind
            await super().listen(inbox)

    return _made_as(Takes)


class TearsWords(DingTalkReply):
    """Cuts at any place."""

    async def _finish_cards(
        self, cards: AiCards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        whole = " ".join(parts)
        await super()._finish_cards(cards, tuple(re.findall(r"(?s).{1,3001}", whole)), files)


class SendsPartsBackwards(DingTalkReply):
    async def _finish_cards(
        self, cards: AiCards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        await super()._finish_cards(cards, parts[::-1], files)


class JoinsParts(DingTalkReply):
    """Puts all of a long answer on one card, as the API takes it."""

    async def _finish_cards(
        self, cards: AiCards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        await super()._finish_cards(cards, ("\n\n".join(parts),), files)


class TakesGroupsForPeople(DingTalkReply):
    """Fills a message to a group as far as people take one."""

    async def _finish_plain(self, text: str) -> None:
        for part in split(text, 18_000, wire_bytes):
            await self._send_part(part, mention=False)


class MarksTheFirstPart(DingTalkReply):
    """Forgets in later parts that it was in the middle of code."""

    async def _finish_cards(
        self, cards: AiCards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        bare = tuple(part.replace("```python\n", "").replace("```", "") for part in parts[1:])
        await super()._finish_cards(cards, (*parts[:1], *bare), files)


class TrustsTheStatus(AiCards):
    """Takes each answer with status 200 for a success."""

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        try:
            await super().write(track, text, final=final)
        except DeliveryRejected as error:
            if "status 200" not in str(error):
                raise


class KeepsItsToken(DingTalkApi):
    """Has a refused token renewed by its timer only."""

    async def _authorized(self, call: Callable[[str], Awaitable[JsonObject]]) -> JsonObject:
        return await call(await self.tokens.get())


class KeepsTokens(DingTalkChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self._api.__class__ = KeepsItsToken
        return super().open_reply(target, checkpoint)


class StartsOver(DingTalkReply):
    """Names its cards anew and forgets how far it was."""

    def _track(self, index: int) -> str:
        return f"{super()._track(index)}-{id(self)}"


class StartsOverChannel(DingTalkChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        async def forget(handle: str) -> None:
            return None

        made = super().open_reply(target, forget)
        without_receipt(made).__class__ = StartsOver
        return made


class SwallowsRefusals(AiCards):
    """Logs what goes wrong, as the SDK does, and goes on."""

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        with suppress(ChannelError):
            await super().write(track, text, final=final)


class NeverCloses(AiCards):
    """Leaves every card as one that is still growing."""

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        await super().write(track, text)


class SaysItPrivately(DingTalkChannel):
    """Answers to the asker what was asked in a group."""

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        private = DingTalkDestination(True, target.asker.id)
        return DingTalkReply(self._replies, target, private, checkpoint)


class LogsTheTicket(DingTalkApi):
    async def ticket(self, topics: tuple[str, ...]) -> ConnectionTicket:
        ticket = await super().ticket(topics)
        logging.getLogger("parley.channels").info("endpoint is %s", ticket.url)
        return ticket


class TellsTickets(DingTalkChannel):
    async def listen(self, inbox: Inbox) -> None:
        self._api.__class__ = LogsTheTicket
        await super().listen(inbox)


class HearsMessagesOnly(DingTalkChannel):
    """Asks DingTalk for messages, and for nothing else."""

    async def listen(self, inbox: Inbox) -> None:
        self._stream._topics = self._stream._topics[:1]
        await super().listen(inbox)


class AnswersPressesWithNothing(CardCallbackQueue):
    """Acknowledges a press, and tells nobody what came of it."""

    async def put(self, callback: CallbackMessage, answer: SendAnswer) -> None:
        async def silently(text: str) -> None:
            await answer(json.dumps(json.loads(text) | {"data": '{"response": {}}'}))

        await super().put(callback, silently)


class LeavesTheButtons(QuestionCards):
    """Changes the words of a decided question only."""

    async def _change(self, track: str, values: JsonObject) -> None:
        await super()._change(track, {WORDS: values[WORDS]})


class SettlesAtOnce(QuestionCards):
    """Changes the card of a decided question whether its press is answered or not."""

    changed: asyncio.Event

    async def settle(self, question: str, text: str, count: int) -> None:
        for index, words in enumerate(settled_parts(text, count)):
            values: JsonObject = {WORDS: words, BUTTONS: encode_buttons(())}
            await self._change(out_track_id(question, index), values)
        self.changed.set()


class AnswersAfterTheChange(CardCallbackQueue):
    changed: asyncio.Event

    async def put(self, callback: CallbackMessage, answer: SendAnswer) -> None:
        async def late(text: str) -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self.changed.wait()
            await answer(text)

        await super().put(callback, late)


class SettlesBeforeItAnswers(DingTalkChannel):
    async def listen(self, inbox: Inbox) -> None:
        assert self._questions is not None
        assert self._presses is not None
        self._questions.__class__, self._presses.__class__ = SettlesAtOnce, AnswersAfterTheChange
        vars(self._questions)["changed"] = vars(self._presses)["changed"] = asyncio.Event()
        await super().listen(inbox)


class ButtonsOnEachCard(QuestionCards):
    async def ask(
        self,
        place: DingTalkDestination,
        target: ReplyTarget,
        question: Question,
        text: str,
        shown: int,
        note: Callable[[int], Awaitable[None]],
    ) -> None:
        buttons = buttons_of(question, target, "")
        for index, words in enumerate(split_question(text)):
            values: dict[str, Json] = {WORDS: words, BUTTONS: encode_buttons(buttons)}
            track = out_track_id(target.turn_id, index)
            await deliver_card(self._api, place, self._template, track, values, CardSummary(), forward=False)
            await note(index + 1)


class SettlesOnlyWhatItAsked(DingTalkReply):
    """Looks nowhere for the cards that another process made."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        return None


class AsksOnANewCard(QuestionCards):
    """Does not name a question's card by the question."""

    async def ask(
        self,
        place: DingTalkDestination,
        target: ReplyTarget,
        question: Question,
        text: str,
        shown: int,
        note: Callable[[int], Awaitable[None]],
    ) -> None:
        anew = replace(target, turn_id=f"{target.turn_id}-{secrets.token_hex(4)}")
        await super().ask(place, anew, question, text, 0, _forget)


class KeepsStopping(DingTalkReply):
    """Leaves the stop button under an answer that is over."""

    async def _finish_buttons(self, snapshot: OutboundMessage) -> None:
        return None


class OffersNoStop(DingTalkReply):
    """Has no stop button under answers that grow."""

    async def _make(self, cards: AiCards, index: int, stops: ReplyTarget | None = None) -> None:
        await super()._make(cards, index)


async def _forget(count: int) -> None:
    return None


_STOPS = "the_stop_button_keeps_what_was_said"
FAULTS = (
    Fault("tear words", "parts_are_within_the_limit", driver=_replying(TearsWords)),
    Fault("send parts backwards", "a_huge_answer_arrives_whole", driver=_replying(SendsPartsBackwards)),
    Fault(
        "fill messages to groups like those to people",
        "a_long_chinese_answer_arrives_in_a_group",
        driver=_replying(TakesGroupsForPeople, DingTalkPlainDriver),
    ),
    Fault("put a long answer on one card", "a_huge_answer_arrives_whole", driver=_replying(JoinsParts)),
    Fault(
        "take a status for a success",
        "a_success_that_is_none_is_no_delivery",
        driver=_carded(TrustsTheStatus),
    ),
    Fault("keep a stale token", "a_stale_token_is_renewed", driver=_made_as(KeepsTokens)),
    Fault("forget code in later parts", "code_stays_code_in_every_part", driver=_replying(MarksTheFirstPart)),
    Fault("name cards anew after a crash", "crash_between_parts", driver=_made_as(StartsOverChannel)),
    Fault("swallow refusals", "server_errors_are_outlasted", driver=_carded(SwallowsRefusals)),
    Fault("never close a card", "heard_as_said", driver=_carded(NeverCloses)),
    Fault("answer a group in private", "grows_in_a_group_too", driver=_made_as(SaysItPrivately)),
    Fault("log the ticket", "secrets_stay_out_of_the_log", driver=_made_as(TellsTickets)),
    Fault("subscribe to messages only", "a_press_decides", driver=_made_as(HearsMessagesOnly)),
    Fault("acknowledge presses in silence", "who_presses_is_told", driver=_taking(AnswersPressesWithNothing)),
    Fault("leave the buttons standing", "a_decision_is_seen", driver=_asking(LeavesTheButtons)),
    Fault("change pressed cards at once", "a_decision_stays_seen", driver=_made_as(SettlesBeforeItAnswers)),
    Fault("put buttons on each card", "a_long_question_has_buttons_once", driver=_asking(ButtonsOnEachCard)),
    Fault(
        "settle only what it asked",
        "a_crash_while_settling_settles",
        driver=_replying(SettlesOnlyWhatItAsked),
    ),
    Fault("leave the stop button", _STOPS, driver=_replying(KeepsStopping)),
    Fault("offer no stop button", _STOPS, driver=_replying(OffersNoStop)),
    Fault("ask on a new card", "a_crash_while_asking_asks_once", driver=_asking(AsksOnANewCard)),
)
