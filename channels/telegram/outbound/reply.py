"""A reply on its way to a chat.

Telegram has no idempotency key: a message that is sent again is there twice. There are two ways to live
with that, `delivery` in the settings. With `send` a finished message is sent in one piece; that it is on its
way is noted before, so that one which may be there twice after a crash is known as doubtful. With `edit` no
message is ever sent in full: a stub is sent, its id is noted durably, and the text is edited into it, which
may be done any number of times. A crash, or a lost answer, between stub and note leaves a stub and nothing
doubled.

While an answer grows, private chats show it as a native draft and groups in the message itself.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

from telegram import ForceReply, InlineKeyboardMarkup

from parley.channels.kit.errors import MessageGone
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.destination import TelegramDestination
from parley.channels.telegram.errors import PlaceClosed, RichRefused, map_store_errors
from parley.channels.telegram.formatting import (
    FormattedMessage,
    fitted,
    placeholder_for,
    render,
    rich_markdown,
    unfinished,
    with_steps,
)
from parley.channels.telegram.inline_keyboard import ButtonOptions, answer_keyboard
from parley.channels.telegram.outbound.file_messages import FileMessages
from parley.channels.telegram.outbound.repeat_action import RepeatedAction
from parley.channels.telegram.outbound.reply_state import ReplyProgress
from parley.channels.telegram.outbound.rich_layout import RichMessages
from parley.core.model.errors import ChannelError, DeliveryRejected
from parley.core.model.feedback import is_words_prompt
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TelegramReplyTiming:
    """Seconds after which things are done again, and for which an answer waits for its `last_draft`.

    Telegram takes "typing" away after 5 and a draft after 30; the webhook is looked after now and then.
    """

    typing: float = 4.5
    draft: float = 20.0
    last_draft: float = 1.0
    webhook: float = 60.0


@dataclass(frozen=True, slots=True)
class TelegramReplyManner:
    """How replies are made. With `edits` no message is sent in full: its text is edited into a stub."""

    rich: RichMessages
    choices: ButtonOptions
    timing: TelegramReplyTiming = TelegramReplyTiming()
    edits: bool = False


class TelegramReply(Reply):
    """One turn's answer, as messages in one place."""

    def __init__(
        self,
        api: TelegramApi,
        target: ReplyTarget,
        place: TelegramDestination,
        checkpoint: Checkpoint,
        manner: TelegramReplyManner,
    ) -> None:
        self._api = api
        self._target = target
        self._place = place
        self._manner = manner
        self._progress = ReplyProgress(target.handle, checkpoint)
        self._buttons: InlineKeyboardMarkup | None = None
        self._asks_words = False
        self._drafts = target.private
        self._resends = True
        self._drawn: tuple[int, FormattedMessage] | None = None
        self._shown: dict[int, FormattedMessage] = {}
        self._pulse = RepeatedAction()

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the answer so far with its steps: a draft, or the messages that it will be."""
        await self._pulse.stop()
        parts = with_steps(render(snapshot.text), snapshot.steps)
        if not parts:
            await self._keep_typing()
        elif self._drafts and self._may_draw(len(parts)):
            await self._keep_drafting(parts)
        else:
            await self._write(parts, growing=True)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Send the messages in full, none too many, a question's buttons under the last; then the files."""
        await self._pulse.stop()
        await self._offer(snapshot)
        files = FileMessages(self._api, self._place, self._target.asker.language, self._progress)
        try:
            if not await self._send_captioned(snapshot, files):
                await self._take_away_after(await self._write_final(snapshot))
        except DeliveryRejected as error:
            await self._say_that_refused(error)
            raise
        await files.send(snapshot.attachments)
        state = self._progress.state
        ids = (*state.parts, *state.files)
        return Receipt(tuple(f"{self._place.chat}:{number}" for number in ids), state.doubtful)

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Edit the whole text into the answer's messages once more; one that was taken away stays away."""
        if self._progress.state.parts:
            self._resends = False
            await self._offer(snapshot)
            await self._write_final(snapshot)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Give the messages of a question another text, and no buttons; never send a new one."""
        messages = self._progress.state.parts
        for message, part in zip(messages, fitted(render(snapshot.text), len(messages)), strict=True):
            try:
                await self._api.edit(self._place, message, part)
            except MessageGone as error:
                log.info("telegram: a settled question is not there to be changed: %s", error)
        with map_store_errors():
            await self._manner.choices.forget(snapshot.turn_id)

    async def _send_captioned(self, snapshot: OutboundMessage, files: FileMessages) -> bool:
        """Send an answer of one file and few words as one message; tells whether it stands so now.

        Not with edits: a file has no stub, so that its words could be there twice after a crash.
        """
        grew = self._drawn is not None or self._progress.state.parts
        if self._manner.edits or grew or self._buttons is not None or snapshot.question is not None:
            return False
        parts = () if self._manner.rich.suit(snapshot.text) else render(snapshot.text)
        return len(parts) == 1 and await files.send_captioned(snapshot.attachments, parts[0])

    async def _offer(self, snapshot: OutboundMessage) -> None:
        """Prepare the buttons that stand below; what asks for words has none."""
        self._asks_words = snapshot.question is not None and is_words_prompt(snapshot.question)
        with map_store_errors():
            await self._manner.choices.keep(snapshot.question)
        self._buttons = answer_keyboard(snapshot)

    async def _keep_typing(self) -> None:
        async def type_on() -> None:
            await self._api.typing(self._place)

        await type_on()
        self._pulse.start(self._manner.timing.typing, type_on)

    def _may_draw(self, count: int) -> bool:
        """Tell whether the last of so many messages is not there yet; with `edit`, whether none is."""
        sent = len(self._progress.state.parts)
        return sent == 0 if self._manner.edits else sent < count

    async def _keep_drafting(self, parts: tuple[FormattedMessage, ...]) -> None:
        if not self._manner.edits:
            # The draft is of what comes next; what is before it can be sent already.
            for index, part in enumerate(parts[:-1]):
                await self._put(index, part)
        index = 0 if self._manner.edits else len(parts) - 1

        async def draw() -> None:
            await self._draw(index, parts[-1])

        try:
            await draw()
        except DeliveryRejected as error:
            log.info("telegram: no draft in chat %s (%s); a message instead", self._place.chat, error)
            self._drafts = False
            await self._write(parts, growing=True)
        else:
            self._pulse.start(self._manner.timing.draft, draw)

    async def _draw(self, index: int, part: FormattedMessage) -> None:
        # Stable over restarts, another for each message, and never zero, which Telegram does not take.
        number = (crc32(self._target.turn_id.encode()) + index) & 0x7FFFFFFF or 1
        await self._api.draft(self._place, number, part)
        self._drawn = (index, part)

    async def _write_final(self, snapshot: OutboundMessage) -> int:
        """Return the number of messages that it became."""
        text, parts = snapshot.text, render(snapshot.text)
        # A question has to be found again, and to fit where it stands, when it is settled.
        if parts and snapshot.question is None and self._manner.rich.suit(text):
            try:
                await self._write((replace(parts[0], markdown=rich_markdown(text)),))
            except RichRefused as error:
                self._manner.rich.refused(error)
            else:
                return 1
        await self._write(parts)
        return len(parts)

    async def _write(self, parts: tuple[FormattedMessage, ...], *, growing: bool = False) -> None:
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            await self._put(index, part, self._buttons if last else None, growing=growing and last)

    async def _put(
        self,
        index: int,
        part: FormattedMessage,
        buttons: InlineKeyboardMarkup | None = None,
        *,
        growing: bool = False,
    ) -> None:
        """Have a part stand in its message."""
        if index < len(self._progress.state.parts):
            if self._shown.get(index) != part or buttons is not None:
                await self._fill(index, part, buttons)
        elif self._manner.edits and not self._asks_words:
            await self._reserve(index, _stub(index, part))
            await self._fill(index, part, buttons)
        elif growing:
            # The next snapshot, or the final, takes the sign away that it goes on.
            await self._reserve(index, unfinished(part))
            return
        else:
            await self._send(index, part, buttons)
        self._shown[index] = part

    async def _send(self, index: int, part: FormattedMessage, buttons: InlineKeyboardMarkup | None) -> None:
        """Send a message as it is to stay."""
        await self._finish_draft(part)
        place = self._place_of(index)
        # Opens the reply to this message in the app: so it is known whose words come next.
        below = ForceReply() if self._asks_words else buttons
        await self._progress.send(
            lambda: self._api.send(place, part, below, silent=index > 0),
            lambda state, number: state.with_part(index, number),
        )
        self._drawn = None

    async def _finish_draft(self, part: FormattedMessage) -> None:
        """Have a draft that is out say what is sent next: some apps go on showing its last words instead."""
        if self._drawn is None or part.markdown or self._drawn[1] == part:
            return
        with suppress(ChannelError, TimeoutError):
            async with asyncio.timeout(self._manner.timing.last_draft):
                await self._draw(self._drawn[0], part)

    async def _reserve(self, index: int, stub: FormattedMessage) -> None:
        """Send what holds a message's place and note its id."""
        send = partial(self._api.send, self._place_of(index), stub, silent=index > 0)
        await self._progress.reserve(index, send, partial(self._api.delete, self._place))

    async def _fill(self, index: int, part: FormattedMessage, buttons: InlineKeyboardMarkup | None) -> None:
        try:
            await self._api.edit(self._place, self._progress.state.parts[index], part, buttons)
        except MessageGone:
            # Somebody took it away; the answer is still owed, unless it was there in full.
            if not self._resends:
                return
            if not self._manner.edits:
                await self._send(index, part, buttons)
                return
            await self._reserve(index, _stub(index, part))
            await self._api.edit(self._place, self._progress.state.parts[index], part, buttons)

    def _place_of(self, index: int) -> TelegramDestination:
        return self._place if index == 0 else replace(self._place, reply_to=None)

    async def _take_away_after(self, count: int) -> None:
        """Take away what the streamed text had more than the final one."""
        while len(self._progress.state.parts) > count:
            state = self._progress.state
            with suppress(DeliveryRejected):
                await self._api.delete(self._place, state.parts[-1])
            await self._progress.note(replace(state, parts=state.parts[:-1]))

    async def _say_that_refused(self, error: DeliveryRejected) -> None:
        """Say, where that is possible, that there is an answer that cannot be shown."""
        if isinstance(error, PlaceClosed):
            return
        words = say(language_of(self._target.asker.language), Sentence.ANSWER_REFUSED)
        with suppress(ChannelError):
            await self._api.send(self._place, FormattedMessage(words))


def _stub(index: int, part: FormattedMessage) -> FormattedMessage:
    return placeholder_for(part) if index == 0 else FormattedMessage("…")
