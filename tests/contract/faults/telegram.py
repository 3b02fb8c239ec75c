"""Faults that lie in how the Telegram channel itself is made."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from parley.channels.kit.budget.call_log import CallLog
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.kit.text import chunks
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.channel import TelegramChannel, create
from parley.channels.telegram.formatting import MAX_MESSAGE_UNITS, FormattedMessage, render
from parley.channels.telegram.inbound.update_parser import GUEST
from parley.channels.telegram.inline_keyboard import ButtonOptions, CallbackPress
from parley.channels.telegram.outbound.reply import TelegramReply
from parley.channels.telegram.outbound.reply_state import TelegramReplyState
from parley.core.model.types import Json, OutboundMessage, ReplyTarget
from parley.core.ports.channel import Channel, ChannelServices, Checkpoint, Inbox, Reply
from parley.core.ports.sending import Sending
from tests.contract.drivers.pace import eager
from tests.contract.drivers.telegram import TelegramDriver
from tests.contract.faults.fault import Fault, without_receipt

T = TypeVar("T")


def _made_as(kind: type[TelegramChannel]) -> type[TelegramDriver]:
    """A driver whose channel is of this kind."""

    class Driver(TelegramDriver):
        def make_channel(self, services: ChannelServices) -> Channel:
            made = create(self.config(), services)
            made.__class__ = kind
            return eager(made)

    return Driver


def _replying(kind: type[TelegramReply]) -> type[TelegramDriver]:
    """A driver whose channel makes replies of this kind."""

    class Replies(TelegramChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            made = super().open_reply(target, checkpoint)
            without_receipt(made).__class__ = kind
            return made

    return _made_as(Replies)


class Unlimited(RateBudget):
    """Lets everybody through at once."""

    async def _admit(self, logs: list[CallLog], sending: Sending) -> None:
        for log in logs:
            log.begin()


def _unlimited() -> type[TelegramDriver]:
    """A driver whose channel knows nothing of limits."""

    class Hasty(TelegramChannel):
        def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
            self._api._bot._budget.__class__ = Unlimited
            return super().open_reply(target, checkpoint)

    return _made_as(Hasty)


class Stubborn(TelegramApi):
    """Has no other way when the marks on a text are refused."""

    async def _shown(
        self, chat: int, content: FormattedMessage, call: Callable[[int, FormattedMessage], Awaitable[T]]
    ) -> T:
        return await self._in(chat, lambda place: call(place, content))


class InsistsOnMarks(TelegramChannel):
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self._api.__class__ = Stubborn
        return super().open_reply(target, checkpoint)


class TakesBotsForPeople(TelegramApi):
    """Does not look at who writes."""

    async def updates(self, offset: int, kinds: Sequence[str]) -> list[Json]:
        return _rewritten(await super().updates(offset, kinds), '"is_bot": true', '"is_bot": false')


class ServesOtherBots(TelegramApi):
    """Does not look whose command it is."""

    async def updates(self, offset: int, kinds: Sequence[str]) -> list[Json]:
        renamed = _rewritten(await super().updates(offset, kinds), "@some_other_bot", "@parley_bot")
        # The mark on "/help@some_other_bot" must end where the shorter name ends.
        return _rewritten(renamed, '"length": 20', '"length": 16')


class IgnoresTheButton(TelegramApi):
    """Takes a press of the stop button for nothing."""

    async def updates(self, offset: int, kinds: Sequence[str]) -> list[Json]:
        return await super().updates(offset, [kind for kind in kinds if kind == "message"])


def _rewritten(updates: list[Json], old: str, new: str) -> list[Json]:
    changed: list[Json] = json.loads(json.dumps(updates).replace(old, new))
    return changed


def _polling(kind: type[TelegramApi]) -> type[TelegramDriver]:
    """A driver whose channel polls so."""

    class Polls(TelegramChannel):
        async def listen(self, inbox: Inbox) -> None:
            self._api.__class__ = kind
            await super().listen(inbox)

    return _made_as(Polls)


class CountsCharacters(TelegramReply):
    """Counts code points where Telegram counts UTF-16 units."""

    async def _write(self, parts: tuple[FormattedMessage, ...], *, growing: bool = False) -> None:
        whole = " ".join(part.text for part in parts)
        await super()._write(
            tuple(FormattedMessage(part.strip()) for part in chunks(whole, MAX_MESSAGE_UNITS, len)),
            growing=growing,
        )


class TearsWords(TelegramReply):
    """Cuts exactly at the limit."""

    async def _write(self, parts: tuple[FormattedMessage, ...], *, growing: bool = False) -> None:
        whole = " ".join(part.text for part in parts)
        cuts = range(0, len(whole), MAX_MESSAGE_UNITS // 2)
        await super()._write(
            tuple(FormattedMessage(whole[cut : cut + MAX_MESSAGE_UNITS // 2]) for cut in cuts),
            growing=growing,
        )


class MarksTheFirstPart(TelegramReply):
    """Forgets the marks of all parts but the first."""

    async def _write(self, parts: tuple[FormattedMessage, ...], *, growing: bool = False) -> None:
        plain = (*parts[:1], *(FormattedMessage(part.text) for part in parts[1:]))
        await super()._write(plain, growing=growing)


class SendsPartsBackwards(TelegramReply):
    async def _write(self, parts: tuple[FormattedMessage, ...], *, growing: bool = False) -> None:
        await super()._write(parts[::-1], growing=growing)


class NotesLate(TelegramReply):
    """Notes which messages it sent only when all of them are."""

    async def _write(self, parts: tuple[FormattedMessage, ...], *, growing: bool = False) -> None:
        checkpoint, self._progress.checkpoint = self._progress.checkpoint, _forget
        await super()._write(parts, growing=growing)
        self._progress.checkpoint = checkpoint
        await self._progress.note(self._progress.state)


async def _forget(handle: str) -> None:
    return None


class AsksForNoPresses(TelegramApi):
    """Does not tell Telegram that it wants to hear of buttons."""

    async def updates(self, offset: int, kinds: Sequence[str]) -> list[Json]:
        return await super().updates(offset, [kind for kind in kinds if kind != "callback_query"])


class OverhearsGuests(TelegramApi):
    """Does not tell Telegram that it wants to hear where it is called as a guest."""

    async def updates(self, offset: int, kinds: Sequence[str]) -> list[Json]:
        return await super().updates(offset, [kind for kind in kinds if kind != "guest_message"])


class ForgetsItsGuestAnswer(TelegramChannel):
    """Has no idea which message an answer became."""

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        guest = target.reply_to.startswith(f"{GUEST}:")
        return super().open_reply(replace(target, handle="") if guest else target, checkpoint)


class CountsFromOne(ButtonOptions):
    """Counts options as people do."""

    async def option(self, press: CallbackPress) -> str:
        return await super().option(replace(press, number=press.number - 1))


class Miscounts(TelegramChannel):
    async def listen(self, inbox: Inbox) -> None:
        self._choices.__class__ = CountsFromOne
        await super().listen(inbox)


class ButtonsEverywhere(TelegramReply):
    """Puts the buttons under each part."""

    async def _send(self, index: int, part: FormattedMessage, buttons: InlineKeyboardMarkup | None) -> None:
        await super()._send(index, part, self._buttons)


class KeepsTheButtons(TelegramReply):
    """Changes the text of a settled question only."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        left = InlineKeyboardMarkup([[InlineKeyboardButton("Ship it", callback_data="x:0")]])
        for message, part in zip(self._progress.state.parts, render(snapshot.text), strict=False):
            await self._api.edit(self._place, message, part, left)


class AsksAnew(TelegramReply):
    """Has no idea which messages a question became."""

    async def settle(self, snapshot: OutboundMessage) -> None:
        self._progress.state = TelegramReplyState()
        await self.finish(snapshot)


class SilentApi(TelegramApi):
    async def answer(self, query: str, text: str) -> None:
        await super().answer(query, "")


class NoMenu(TelegramDriver):
    """Registers no commands."""

    def make_channel(self, services: ChannelServices) -> Channel:
        return eager(create(self.config(), replace(services, commands=())))


FAULTS = (
    Fault("ignore the budget", "answers_share_what_is_allowed", driver=_unlimited()),
    Fault("insist on refused marks", "refused_marks_leave_the_words", driver=_made_as(InsistsOnMarks)),
    Fault("count code points", "parts_are_within_the_limit", driver=_replying(CountsCharacters)),
    Fault("tear words", "parts_are_within_the_limit", driver=_replying(TearsWords)),
    Fault("forget code in later parts", "code_stays_code_in_every_part", driver=_replying(MarksTheFirstPart)),
    Fault("send parts backwards", "a_huge_answer_arrives_whole", driver=_replying(SendsPartsBackwards)),
    Fault("note all parts at the end", "crash_between_parts", driver=_replying(NotesLate)),
    Fault("answer bots", "deaf_to_bots", driver=_polling(TakesBotsForPeople)),
    Fault("obey commands for other bots", "commands_in_groups", driver=_polling(ServesOtherBots)),
    Fault("ignore the stop button", "the_stop_button_keeps_what_was_said", driver=_polling(IgnoresTheButton)),
    Fault("ask for no presses", "a_press_decides", driver=_polling(AsksForNoPresses)),
    Fault(
        "hear nothing as a guest",
        "a_guest_answers_where_it_was_called",
        driver=_polling(OverhearsGuests),
    ),
    Fault(
        "forget an answer as a guest",
        "a_guest_goes_on_after_a_crash",
        driver=_made_as(ForgetsItsGuestAnswer),
    ),
    Fault("count options from one", "a_press_decides", driver=_made_as(Miscounts)),
    Fault("answer presses without a word", "who_presses_is_told", driver=_polling(SilentApi)),
    Fault(
        "put the buttons under each part",
        "a_long_question_has_buttons_once",
        driver=_replying(ButtonsEverywhere),
    ),
    Fault("keep the buttons of a settled question", "a_decision_is_seen", driver=_replying(KeepsTheButtons)),
    Fault("lose the message of a question", "a_press_after_a_crash_decides", driver=_replying(AsksAnew)),
    Fault("register no commands", "commands_are_in_the_menu", driver=NoMenu),
)
