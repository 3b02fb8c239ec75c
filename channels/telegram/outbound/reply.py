"""A reply on its way to a chat.

Telegram has no idempotency key: a message that is sent again is there twice. So no message is ever sent in
full. A stub is sent first, its id is noted durably, and the text is edited into it, which may be done any
number of times. A crash, or a lost answer, between stub and note leaves a stub behind and nothing doubled.

While an answer grows, private chats show it as a native draft and groups in the message itself.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from zlib import crc32

from telegram import InlineKeyboardMarkup

from parley.channels.kit.errors import MessageGone, ResponseLost
from parley.channels.kit.files import human_size, unsent_file_text
from parley.channels.telegram.api import TelegramApi, TelegramDestination
from parley.channels.telegram.errors import RichRefused, map_store_errors
from parley.channels.telegram.formatting import (
    FormattedMessage,
    placeholder_for,
    render,
    rich_markdown,
    with_steps,
)
from parley.channels.telegram.inline_keyboard import ButtonOptions, keyboard
from parley.channels.telegram.outbound.repeat_action import RepeatedAction
from parley.channels.telegram.outbound.reply_state import TelegramReplyState
from parley.channels.telegram.outbound.rich_layout import wants_layout
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelError, DeliveryRejected
from parley.core.model.questions import Question
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TelegramReplyTiming:
    """Seconds after which things are done again.

    Telegram takes "typing" away after 5 and a draft after 30; the webhook is looked after now and then.
    """

    typing: float = 4.5
    draft: float = 20.0
    webhook: float = 60.0


class RichMessages:
    """Whether answers may be rich messages."""

    def __init__(self, allowed: bool) -> None:
        self._allowed = allowed

    def suit(self, markdown: str) -> bool:
        """Tell whether this answer is to be one."""
        return self._allowed and wants_layout(markdown)

    def refused(self, error: RichRefused) -> None:
        """Have no more of them in this process where the Bot API does not know them."""
        self._allowed = not error.unknown
        log.warning("telegram: a rich message was refused, the answer is plain: %s", error)


class TelegramStopReply(Reply):
    """To a press of the stop button nothing is said: the answer that it stopped tells."""

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show nothing."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver nothing."""
        return Receipt(())


class TelegramReply(Reply):
    """One turn's answer, as messages in one place."""

    def __init__(
        self,
        api: TelegramApi,
        target: ReplyTarget,
        place: TelegramDestination,
        checkpoint: Checkpoint,
        rhythm: TelegramReplyTiming,
        rich: RichMessages,
        choices: ButtonOptions,
    ) -> None:
        self._api = api
        self._target = target
        self._place = place
        self._checkpoint = checkpoint
        self._rhythm = rhythm
        self._rich = rich
        self._choices = choices
        self._buttons: InlineKeyboardMarkup | None = None
        self._handle = TelegramReplyState.load(target.handle)
        self._drafts = target.private
        # Stable over restarts, and never zero, which Telegram does not take.
        self._draft = crc32(target.turn_id.encode()) & 0x7FFFFFFF or 1
        self._shown: dict[int, FormattedMessage] = {}
        self._pulse = RepeatedAction()

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the answer so far with its steps: a draft, or the messages that it will be."""
        await self._pulse.stop()
        parts = with_steps(render(snapshot.text), snapshot.steps)
        if not parts:
            await self._keep_typing()
        elif self._drafts and not self._handle.parts:
            await self._keep_drafting(parts)
        else:
            await self._write(parts)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Send the messages in full, none too many, a question's buttons under the last; then the files."""
        await self._pulse.stop()
        if snapshot.question is not None:
            await self._offer(snapshot.question)
        await self._take_away_after(await self._write_final(snapshot))
        for file in snapshot.attachments[len(self._handle.files) :]:
            await self._send_file(file)
        ids = (*self._handle.parts, *self._handle.files)
        return Receipt(tuple(f"{self._place.chat}:{number}" for number in ids), self._handle.doubtful)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Give the messages of a question another text, and no buttons; never send a new one."""
        messages = self._handle.parts
        for message, part in zip(messages, _fitted(render(snapshot.text), len(messages)), strict=True):
            try:
                await self._api.edit(self._place, message, part)
            except MessageGone as error:
                log.info("telegram: a settled question is not there to be changed: %s", error)
        with map_store_errors():
            await self._choices.forget(snapshot.turn_id)

    async def _offer(self, question: Question) -> None:
        with map_store_errors():
            await self._choices.keep(question)
        self._buttons = keyboard(question)

    async def _keep_typing(self) -> None:
        async def type_on() -> None:
            await self._api.typing(self._place)

        await type_on()
        self._pulse.start(self._rhythm.typing, type_on)

    async def _keep_drafting(self, parts: tuple[FormattedMessage, ...]) -> None:
        async def draw() -> None:
            await self._api.draft(self._place, self._draft, parts[-1])

        try:
            await draw()
        except DeliveryRejected as error:
            log.info("telegram: no draft in chat %s (%s); a message instead", self._place.chat, error)
            self._drafts = False
            await self._write(parts)
        else:
            self._pulse.start(self._rhythm.draft, draw)

    async def _write_final(self, snapshot: OutboundMessage) -> int:
        """Return the number of messages that it became."""
        text, parts = snapshot.text, render(snapshot.text)
        # A question has to be found again, and to fit where it stands, when it is settled.
        if parts and snapshot.question is None and self._rich.suit(text):
            try:
                await self._write((replace(parts[0], markdown=rich_markdown(text)),))
            except RichRefused as error:
                self._rich.refused(error)
            else:
                return 1
        await self._write(parts)
        return len(parts)

    async def _write(self, parts: tuple[FormattedMessage, ...]) -> None:
        for index, part in enumerate(parts):
            if index == len(self._handle.parts):
                await self._reserve(index, part)
            if self._shown.get(index) != part:
                await self._fill(index, part, self._buttons if index == len(parts) - 1 else None)
                self._shown[index] = part

    async def _reserve(self, index: int, part: FormattedMessage) -> None:
        """Send the stub of a message and note its id, in place of one that is no more."""
        first = index == 0
        place = self._place if first else replace(self._place, reply_to=None)
        number = await self._api.send(
            place, placeholder_for(part) if first else FormattedMessage("…"), silent=not first
        )
        parts = self._handle.parts
        await self._note(replace(self._handle, parts=(*parts[:index], number, *parts[index + 1 :])))

    async def _fill(self, index: int, part: FormattedMessage, buttons: InlineKeyboardMarkup | None) -> None:
        try:
            await self._api.edit(self._place, self._handle.parts[index], part, buttons)
        except MessageGone:
            # Somebody took it away; the answer is still owed.
            await self._reserve(index, part)
            await self._api.edit(self._place, self._handle.parts[index], part, buttons)

    async def _take_away_after(self, count: int) -> None:
        """Take away what the streamed text had more than the final one."""
        while len(self._handle.parts) > count:
            with suppress(DeliveryRejected):
                await self._api.delete(self._place, self._handle.parts[-1])
            await self._note(replace(self._handle, parts=self._handle.parts[:-1]))

    async def _send_file(self, file: StoredFile) -> None:
        # Files cannot be edited into a stub: one whose answer was lost is sent again, and counted.
        await self._note(
            replace(self._handle, sending=True, doubtful=self._handle.doubtful or self._handle.sending)
        )
        try:
            number = await self._file_or_reason(file)
        except ResponseLost:
            raise
        except ChannelError:
            await self._note(replace(self._handle, sending=False))
            raise
        await self._note(replace(self._handle, files=(*self._handle.files, number), sending=False))

    async def _file_or_reason(self, file: StoredFile) -> int:
        place = replace(self._place, reply_to=None)
        try:
            return await self._api.send_file(place, file)
        except (AttachmentRefused, DeliveryRejected) as error:
            log.warning("telegram: a file of %s was not sent: %s", human_size(file.size), error)
            return await self._api.send(
                place, FormattedMessage(unsent_file_text(file, error, self._target.asker.language))
            )

    async def _note(self, handle: TelegramReplyState) -> None:
        self._handle = handle
        await self._checkpoint(handle.dump())


def _fitted(parts: tuple[FormattedMessage, ...], count: int) -> tuple[FormattedMessage, ...]:
    """Return as many parts as there are messages, the last one, with the decision, where the buttons were.

    Only where the new text is longer, or shorter, by a whole message something is left out, or blank.
    """
    blank = (FormattedMessage("…"),) * (count - len(parts))
    return (*parts[:-1][: count - 1], *blank, *parts[-1:]) if count else ()
