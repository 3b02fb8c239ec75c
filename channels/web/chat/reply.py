"""A reply on its way to the pages: shown live, kept when final."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from parley.channels.web.chat.entries import EntryLocation, TranscriptEntry, is_stop_press
from parley.channels.web.chat.event_log import EntryShown
from parley.channels.web.chat.service import ChatService
from parley.core.model.errors import ChannelUnavailable, StoreUnavailable
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply

_DOWN = "The transcript cannot be written just now."


class WebReply(Reply):
    """One turn's reply. Its turn id makes every step repeatable, so a receipt is never in doubt."""

    def __init__(self, target: ReplyTarget, desk: ChatService, checkpoint: Checkpoint) -> None:
        self._target = target
        self._checkpoint = checkpoint
        self._place = EntryLocation(target.conversation.chat, target.conversation.topic)
        self._desk = desk
        self._pos = 0
        # The reply to a button is what the button did.
        self._gone = is_stop_press(target.reply_to)

    async def show(self, snapshot: OutboundMessage) -> None:
        try:
            await self._take_place()
        except StoreUnavailable as problem:
            raise ChannelUnavailable(_DOWN) from problem
        if not self._gone:
            with suppress(StoreUnavailable):  # of other nodes' pages; the next one shows all of it
                await self._desk.show(EntryShown(self._place, self._entry(snapshot)))

    async def show_waiting(self, *, waits: bool) -> None:
        """Show the message as one that waits, or as ever."""
        try:
            entry = await self._desk.transcript.find(self._place, self._target.reply_to)
            if entry is not None and entry.role == "user":
                await self._desk.show(EntryShown(self._place, replace(entry, waits=waits)))
        except StoreUnavailable as problem:
            raise ChannelUnavailable(_DOWN) from problem

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        try:
            await self._keep(snapshot)
        except StoreUnavailable as problem:
            raise ChannelUnavailable(_DOWN) from problem
        return Receipt((self._target.turn_id,))

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Show what the transcript keeps once more."""
        try:
            entry = await self._desk.transcript.reply(self._place, self._target.turn_id)
            if entry is not None:
                await self._desk.show(EntryShown(self._place, entry))
        except StoreUnavailable as problem:
            raise ChannelUnavailable(_DOWN) from problem

    async def settle(self, snapshot: OutboundMessage) -> None:
        try:
            entry = await self._desk.transcript.change(
                self._place, self._target.turn_id, text=snapshot.text, question=None
            )
            if entry is not None:
                await self._desk.show(EntryShown(self._place, entry))
            chat = await self._desk.chats.settle(self._place, self._target.turn_id)
            if chat is not None:
                await self._desk.announce(chat.id, chat)
        except StoreUnavailable as problem:
            raise ChannelUnavailable(_DOWN) from problem

    async def _take_place(self) -> None:
        # Once, at the first snapshot: the reply stays where it was first seen.
        if self._pos or self._gone:
            return
        self._gone = await self._desk.is_gone(self._place)
        if not self._gone:
            self._pos = await self._desk.transcript.reserve(self._place, "agent", self._target.turn_id)

    async def _keep(self, snapshot: OutboundMessage) -> None:
        if self._gone or await self._desk.is_gone(self._place):
            # Nobody is left to read it; it must not bring the conversation back.
            await self._desk.withdraw(self._place, self._target.turn_id)
            return
        files = await self._desk.shelf.store_reply_files(self._target.turn_id, snapshot.attachments)
        entry = replace(self._entry(snapshot), files=files, final=True)
        kept, _ = await self._desk.transcript.add(self._place, entry)
        if entry.question is not None:
            # Only a question with a handle is settled later.
            await self._checkpoint(entry.id)
        asks = entry.id if kept.question is not None else ""
        chat = await self._desk.chats.touch(self._place, "", asks, snapshot.title)
        await self._desk.show(EntryShown(self._place, kept))
        await self._desk.announce(chat.id, chat)

    def _entry(self, snapshot: OutboundMessage) -> TranscriptEntry:
        return TranscriptEntry(
            id=self._target.turn_id,
            role="agent",
            pos=self._pos,
            text=snapshot.text,
            reply_to=self._target.reply_to,
            steps=snapshot.steps,
            question=snapshot.question,
            asks=snapshot.asks,
            rateable=snapshot.rateable,
            suggestions=snapshot.suggestions,
            final=False,
        )
