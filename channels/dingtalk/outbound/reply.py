"""A reply on its way to a person or a group.

With a card template the answer grows in AI cards, whose `outTrackId` comes from the turn: whatever is sent
again after a crash or a lost answer is the same card. Where DingTalk refuses the last word on a card it is
put in by another call, and where that is refused too, the text goes out as plain messages. Questions have
cards of their own, with buttons, and become plain messages in the same way. Plain messages, and files, have
no key that makes sending twice harmless: one whose answer was lost is sent again, noted as doubtful.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from parley.channels.dingtalk.api import DingTalkDestination
from parley.channels.dingtalk.formatting import card_parts, card_to_plain, plain_parts, title, with_steps
from parley.channels.dingtalk.outbound.ai_cards import AiCards
from parley.channels.dingtalk.outbound.card_delivery import CardSummary
from parley.channels.dingtalk.outbound.file_messages import upload_file, upload_speech
from parley.channels.dingtalk.outbound.reply_context import DingTalkReplyContext
from parley.channels.dingtalk.outbound.reply_state import DingTalkReplyState
from parley.channels.dingtalk.question_layout import (
    answer_buttons,
    answer_track_id,
    out_track_id,
    with_options_as_text,
)
from parley.channels.dingtalk.user_lookup import EXTERNAL_ID_PREFIX
from parley.channels.kit.errors import ResponseLost, SnapshotDeferred
from parley.channels.kit.files import human_size, unsent_file_text
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelError, DeliveryRejected, RateLimited
from parley.core.model.questions import Question
from parley.core.model.types import Json, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply

log = logging.getLogger(__name__)

PATIENCE = 3
"""How often in a row a card may be refused for pace before its answer goes another way."""
IN_SESSION = "session"
"""Stands for the key of a message whose answer has none."""


class DingTalkReply(Reply):
    """One turn's answer, or a question."""

    def __init__(
        self,
        shared: DingTalkReplyContext,
        target: ReplyTarget,
        place: DingTalkDestination,
        checkpoint: Checkpoint,
    ) -> None:
        self._shared = shared
        self._api = shared.api
        self._cards = shared.cards if shared.cards is not None and shared.cards.usable else None
        self._questions = shared.questions
        self._target = target
        self._place = place
        self._checkpoint = checkpoint
        self._handle = DingTalkReplyState.load(target.handle)
        self._shown: dict[int, str] = {}
        self._carriers: list[str] = []
        self._made_at = 0.0
        self._refusals = 0
        self._may_stop = bool(target.handle)  # An earlier process may have put a button there.

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the answer so far with its steps in cards, where there are any."""
        cards = self._cards
        if cards is None or self._handle.plain or self._refusals >= PATIENCE:
            return
        parts = with_steps(card_parts(snapshot.text), snapshot.steps)
        try:
            await self._grow(cards, parts)
        except SnapshotDeferred:
            raise
        except RateLimited:
            self._refusals += 1
            raise
        except DeliveryRejected as error:
            log.warning("dingtalk: the card of turn %s does not grow: %s", self._target.turn_id, error)
            self._refusals = PATIENCE
        else:
            self._refusals = 0

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Send the whole text, in cards or else in plain messages, and then the files."""
        text, question = snapshot.text, snapshot.question
        if question is not None and not await self._ask(question, text):
            text = with_options_as_text(question, text, self._target.asker.language)
            await self._finish_plain(text)
        if question is None:
            await self._finish_text(text, snapshot.attachments)
            await self._finish_buttons(snapshot)
        for file in snapshot.attachments[len(self._handle.files) :]:
            await self._send_file(file)
        handle, asked = self._handle, range(self._handle.asked)
        tracks = [self._track(index) for index in range(handle.cards)]
        tracks += [out_track_id(self._target.turn_id, index) for index in asked]
        await self._keep_said(text)
        return Receipt((*tracks, *handle.parts, *handle.files), handle.doubtful)

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Fill the answer's cards once more; plain messages never change."""
        if self._cards is None:
            return
        parts = card_parts(snapshot.text)[: self._handle.finished]
        for index, text in enumerate(parts):
            await self._complete(self._cards, self._track(index), text)
        if parts:
            await self._finish_buttons(snapshot)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Give the cards of a question other words, and no buttons.

        What went out in plain messages stands as it is: it has no buttons either.
        """
        if self._questions is not None and self._handle.asked:
            await self._questions.settle(self._target.turn_id, snapshot.text, self._handle.asked)

    async def _ask(self, question: Question, text: str) -> bool:
        """Tell whether a question is asked with buttons; where a card is refused it has to be in words."""
        if self._questions is None or self._handle.plain:
            return False
        shown = self._handle.asked
        try:
            await self._questions.ask(self._place, self._target, question, text, shown, self._note_asked)
        except DeliveryRejected as error:
            log.warning("dingtalk: question %s is asked in words: %s", self._target.turn_id, error)
            await self._note(replace(self._handle, plain=True))
            return False
        return True

    async def _note_asked(self, count: int) -> None:
        await self._note(replace(self._handle, asked=count))

    async def _finish_text(self, text: str, files: tuple[StoredFile, ...]) -> None:
        if self._cards is not None and not self._handle.plain:
            await self._finish_cards(self._cards, card_parts(text), files)
        if self._cards is None or self._handle.plain:
            await self._finish_plain(text)

    async def _finish_plain(self, text: str) -> None:
        """Send what no finished card has of the text."""
        rest = card_parts(text)[self._handle.finished :]
        parts = plain_parts(text) if self._handle.finished == 0 else card_to_plain(rest)
        for part in parts[len(self._handle.parts) :]:
            await self._send_part(part, mention=not self._handle.parts and self._handle.cards == 0)

    async def _grow(self, cards: AiCards, parts: tuple[str, ...]) -> None:
        for index in range(max(1, len(parts))):
            if index >= self._handle.cards:
                await self._make(cards, index, self._target)
            if index < len(parts) and self._shown.get(index) != parts[index]:
                await cards.write(self._track(index), parts[index])
                self._shown[index] = parts[index]

    async def _make(self, cards: AiCards, index: int, stops: ReplyTarget | None = None) -> None:
        """Make the next card; with `stops`, it is the one with the stop button."""
        self._made_at = self._made_at or time.time()
        if self._may_stop and index > 0:
            await cards.change_buttons(self._target, index - 1, None)
        summary = CardSummary(mentions=self._mentioned() if index == 0 else {})
        carrier = await cards.make(self._place, self._track(index), summary, stops)
        self._may_stop = stops is not None
        self._carriers += [carrier] if carrier else []
        await self._note(replace(self._handle, cards=index + 1))

    async def _finish_buttons(self, snapshot: OutboundMessage) -> None:
        """Put thumbs and suggestions under the answer's last card, or at least take its stop button away."""
        below = None if self._handle.plain else answer_buttons(snapshot)
        if self._cards is not None and self._handle.cards and (below or self._may_stop):
            await self._cards.change_buttons(self._target, self._handle.cards - 1, below)

    async def _finish_cards(
        self, cards: AiCards, parts: tuple[str, ...], files: tuple[StoredFile, ...]
    ) -> None:
        """Fill every card; those that the growing text had more than the final one are closed."""
        spare = " ".join(f"📎 {file.name}" for file in files) if not parts else ""
        texts = (*parts, *((spare or "…") for _ in range(self._handle.cards - len(parts))))
        try:
            for index in range(self._handle.finished, len(texts)):
                if index >= self._handle.cards:
                    await self._make(cards, index)
                await self._complete(cards, self._track(index), texts[index])
                await self._note(replace(self._handle, finished=index + 1))
            return
        except (RateLimited, DeliveryRejected) as error:
            self._refusals += isinstance(error, RateLimited)
            if isinstance(error, RateLimited) and self._refusals < PATIENCE:
                raise
            log.warning("dingtalk: turn %s goes on without cards: %s", self._target.turn_id, error)
        await self._note(replace(self._handle, plain=True))
        await self._close_cards(cards)

    async def _close_cards(self, cards: AiCards) -> None:
        """Let no card look as if it grew still, beside the messages that have its text."""
        with suppress(ChannelError):
            for index in range(self._handle.finished, self._handle.cards):
                await cards.write(self._track(index), "…", final=True)

    async def _complete(self, cards: AiCards, track: str, text: str) -> None:
        """Put in a card's last text. Raises ChannelError when that goes in neither way."""
        try:
            await cards.write(track, text, final=True)
        except RateLimited:
            if self._refusals + 1 < PATIENCE:
                raise
            await cards.replace(track, text)
        except DeliveryRejected as error:
            log.info("dingtalk: a card takes no last text (%s); another way", error)
            await cards.replace(track, text)

    async def _send_part(self, text: str, *, mention: bool) -> None:
        number = await self._once(lambda: self._send_words(text, mention=mention))
        await self._note(replace(self._handle, parts=(*self._handle.parts, number), sending=False))

    async def _send_words(self, text: str, *, mention: bool) -> str:
        """Send a plain message: by the asker's own message where that alone can mention or reach them."""
        webhook = self._shared.origins.webhook(self._target.reply_to)
        guest = self._place.private and self._place.id.startswith(EXTERNAL_ID_PREFIX)
        mentioned = next(iter(self._mentioned()), "") if mention else ""
        if webhook and (guest or mentioned):
            try:
                await self._api.send_in_session(webhook, title(text), text, mentioned)
            except DeliveryRejected as error:
                log.info("dingtalk: an answer goes without the asker's message: %s", error)
            else:
                return IN_SESSION
        return await self._api.send(self._place, "sampleMarkdown", {"title": title(text), "text": text})

    def _mentioned(self) -> dict[str, str]:
        """Return whom an answer mentions: who asked in a group, where the organisation knows them."""
        origin, asker = self._shared.origins.get(self._target.reply_to), self._target.asker
        if self._place.private or not self._shared.mention or origin is None or not origin.staff:
            return {}
        if asker.id.startswith(EXTERNAL_ID_PREFIX):
            return {}
        # Who pressed what the answer to another's message suggested did not write that.
        return {asker.id: origin.name if asker.id == origin.staff else asker.name}

    async def _send_file(self, file: StoredFile) -> None:
        try:
            number = await self._send_spoken(file) or await self._send_document(file)
        except (AttachmentRefused, DeliveryRejected) as error:
            log.warning("dingtalk: a file of %s was not sent: %s", human_size(file.size), error)
            number = await self._say_why(file, error)
        await self._note(replace(self._handle, files=(*self._handle.files, number), sending=False))

    async def _send_spoken(self, file: StoredFile) -> str:
        """Send speech as a voice message; returns "" for what is none, or is not taken as one."""
        try:
            spoken = await upload_speech(self._api, file) if file.voice else None
            if spoken is None:
                return ""
            return await self._once(lambda: self._api.send(self._place, *spoken))
        except DeliveryRejected as error:
            log.info("dingtalk: speech is sent as a file instead (%s)", error)
            return ""

    async def _send_document(self, file: StoredFile) -> str:
        key, content = await upload_file(self._api, file)
        return await self._once(lambda: self._api.send(self._place, key, content))

    async def _say_why(self, file: StoredFile, error: ChannelError) -> str:
        words = unsent_file_text(file, error, self._target.asker.language)
        content: dict[str, Json] = {"title": title(words), "text": words}
        return await self._once(lambda: self._api.send(self._place, "sampleMarkdown", content))

    async def _once(self, send: Callable[[], Awaitable[str]]) -> str:
        """Send what cannot be known again: it is noted before, and doubted when its fate is unclear."""
        doubtful = self._handle.doubtful or self._handle.sending
        await self._note(replace(self._handle, sending=True, doubtful=doubtful))
        try:
            return await send()
        except ResponseLost:
            raise
        except ChannelError:
            await self._note(replace(self._handle, sending=False))
            raise

    async def _keep_said(self, text: str) -> None:
        keys = (*self._carriers, *(part for part in self._handle.parts if part != IN_SESSION))
        target = self._target
        await self._shared.said.keep(
            target.conversation, target.asker, keys, text, self._made_at or time.time()
        )

    def _track(self, index: int) -> str:
        return answer_track_id(self._target.turn_id, index)

    async def _note(self, handle: DingTalkReplyState) -> None:
        self._handle = handle
        await self._checkpoint(handle.dump())
