"""The messages that hold a reply's text, each written by growing it or by changing it.

Slack has no idempotency key. So every message carries the turn and its number as metadata, it is noted
before it is sent that one is on its way, and whoever does not know whether it arrived looks for it first.
A growing message cannot be signed before its end: the only unsigned one in its thread since the question
is it. Whenever it is in doubt what a growing message holds, it is ended and changed to the whole text.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from parley.channels.kit.errors import MessageGone, ResponseLost
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.api_values import OwnMessage
from parley.channels.slack.blocks import button_forms, fit_into, footed_forms
from parley.channels.slack.errors import TooLong
from parley.channels.slack.formatting import (
    BESIDE_CARDS,
    SMALLEST_ROOM,
    WHOLE_MESSAGE,
    MessageRoom,
    with_steps,
)
from parley.channels.slack.outbound.agent_session import SlackAgentSession
from parley.channels.slack.outbound.message_draft import MessageDraft
from parley.channels.slack.outbound.message_lookup import find_others, find_sent
from parley.channels.slack.outbound.reply_state import SlackReplyState
from parley.channels.slack.outbound.task_cards import PLAN, TaskCards, plan_title
from parley.channels.slack.users import SlackBotIdentity
from parley.core.model.errors import ChannelError, ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.types import JsonObject, ReplyTarget, Step
from parley.core.ports.channel import Checkpoint

log = logging.getLogger(__name__)


class ReplyMessages:
    """The messages of one reply in one place. `me` tells who we are, once that is known."""

    def __init__(
        self,
        api: SlackApi,
        target: ReplyTarget,
        place: SlackDestination,
        checkpoint: Checkpoint,
        session: SlackAgentSession,
        me: Callable[[], Awaitable[SlackBotIdentity]],
        clock: Callable[[], float],
        steps: str = "",
    ) -> None:
        self._steps = steps
        self._api = api
        self._session = session
        self._place = place
        self._turn = target.turn_id
        self._since = target.reply_to.partition(":")[2]
        self._checkpoint = checkpoint
        self._me = me
        self._clock = clock
        self.handle = SlackReplyState.load(target.handle)
        # Growing messages are replies in a thread, to somebody.
        self.grows = place.thread is not None
        self.signed = False
        """Whether no message of this reply was ever growing: then one without our signature is not it."""
        self.resends = True
        """Whether a message that somebody took away is sent anew."""
        self.began = clock()
        """When the message that grows now was begun by the clock, or we began to go on with it."""
        self._shown: dict[int, str] = {}
        self._cards = TaskCards(plan_title(target.asker.language) if steps == PLAN else None)
        self._halvings = 0

    def room(self, steps: Sequence[Step]) -> MessageRoom:
        """Return how much text a message takes, as far as we know by now."""
        found = BESIDE_CARDS if self.grows and steps else WHOLE_MESSAGE
        for _ in range(self._halvings):
            found = found.halved()
        return found

    def take_smaller_room(self, steps: Sequence[Step]) -> bool:
        """Make messages half as long from now on; tells whether they could be made shorter."""
        if self.room(steps).most <= SMALLEST_ROOM:
            return False
        self._halvings += 1
        return True

    async def write(self, index: int, page: MessageDraft) -> None:
        """Make message number `index` show a page, sending it when it is not there. Raises ChannelError."""
        if index >= len(self.handle.parts):
            await self._find_lost(index)
        try:
            if index >= len(self.handle.parts):
                await self._begin(index, page)
            elif self.is_growing(index):
                await self._grow(index, page)
            elif self._shown.get(index) != page.text or page.foot:
                await self._change(index, page)
        except MessageGone:
            if not self.resends:
                return
            # Somebody took it away; the answer is still owed, and what came after it comes after it again.
            await self.take_away_after(index)
            await self._begin(index, page)

    def is_growing(self, index: int) -> bool:
        """Tell whether a message is still open for more."""
        return self.handle.stream != "" and self.handle.parts[index] == self.handle.stream

    def length(self, index: int) -> int:
        """Return how much text a message is known to show."""
        return len(self._shown.get(index, ""))

    async def take_away_after(self, count: int) -> None:
        """Take away what the streamed text had more than the final one."""
        while len(self.handle.parts) > count:
            last = len(self.handle.parts) - 1
            with suppress(DeliveryRejected):
                if self.is_growing(last):
                    await self._end(last)
            with suppress(DeliveryRejected):
                await self._api.delete(self._place, self.handle.parts[last])
            self._shown.pop(last, None)
            await self._note(parts=self.handle.parts[:-1])

    async def take_away_late(self) -> None:
        """Take away messages of this reply that came after they were looked for. Raises ChannelError."""
        late: Sequence[str] = ()
        with suppress(DeliveryRejected):  # the app may not look
            late = await find_others(await self._own_messages(), self._turn, self.handle.parts)
        for ts in late:
            with suppress(DeliveryRejected):  # somebody was faster
                await self._api.delete(self._place, ts)

    async def settle(self, text: str) -> None:
        """Let the messages of a question show this text instead, without buttons; none is sent anew, and
        those that somebody has taken away stay away. Raises ChannelError."""
        await self._find_lost(len(self.handle.parts))
        while True:
            texts = fit_into(text, max(1, len(self.handle.parts)), self.room(()))
            try:
                await self._settle(texts)
                return
            except TooLong:
                if not self.take_smaller_room(()):
                    raise

    async def _settle(self, texts: Sequence[str]) -> None:
        for index, (ts, page) in enumerate(zip(self.handle.parts, texts, strict=False)):
            with suppress(MessageGone):
                await self._api.update(self._place, ts, button_forms(page, ()), self._turn, index)
        await self.take_away_after(len(texts))

    async def note(self, handle: SlackReplyState) -> None:
        """Make the handle durable."""
        self.handle = handle
        await self._checkpoint(handle.dump())

    async def _begin(self, index: int, page: MessageDraft) -> None:
        await self._note(sending=True)
        try:
            ts, growing = await self._send(index, page)
        except ResponseLost:
            raise
        except ChannelError:
            # It certainly did not arrive.
            self.handle = replace(self.handle, sending=False)
            raise
        parts = self.handle.parts
        self._shown[index] = page.text
        self.began = self._clock()
        await self._note(
            parts=(*parts[:index], ts, *parts[index + 1 :]), stream=ts if growing else "", sending=False
        )

    async def _send(self, index: int, page: MessageDraft) -> tuple[str, bool]:
        """Send a message; return its ts, and whether it grows."""
        if self.grows and not page.closed:
            try:
                team = self._place.team or (await self._me()).team
                place = replace(self._place, team=team)
                self._cards.begin_message()
                chunks = self._chunks(page.text, page)
                return await self._api.start_stream(place, chunks, self._steps), True
            except DeliveryRejected as error:
                log.info("slack: no stream in %s (%s); messages are changed instead", self._place.chat, error)
                self.grows = False
            except (RateLimited, ChannelUnavailable):
                self._cards.take_back()
                raise
        text = page.text or with_steps((), page.steps)[0]
        return await self._api.post(self._place, text, self._turn, index, page.buttons, page.foot), False

    async def _grow(self, index: int, page: MessageDraft) -> None:
        shown = self._shown.get(index)
        if shown is not None and page.text.startswith(shown):
            try:
                await self._add(index, page, shown)
            except MessageGone:
                raise
            except DeliveryRejected as error:
                log.info("slack: a growing message is changed instead (%s)", error)
        if self._shown.get(index) != page.text:
            await self._end(index)
            await self._change(index, page)

    async def _add(self, index: int, page: MessageDraft, shown: str) -> None:
        """Append what is new, and end the message if its page is closed."""
        chunks = self._chunks(page.text[len(shown) :], page)
        # Until the answer is here, nobody knows what the message holds.
        del self._shown[index]
        try:
            if page.closed:
                await self._close(index, page, chunks)
            elif chunks:
                await self._api.append_stream(self._place, self.handle.stream, chunks)
        except ResponseLost:
            raise
        except (RateLimited, ChannelUnavailable):
            self._shown[index] = shown
            self._cards.take_back()
            raise
        self._shown[index] = page.text

    async def _close(self, index: int, page: MessageDraft, chunks: Sequence[JsonObject]) -> None:
        session = self._session.final_status() if page.last else ""
        stream = self.handle.stream
        await self._api.stop_stream(self._place, stream, chunks, self._turn, index, session, page.foot)
        self.handle = replace(self.handle, stream="")
        if session:
            self._session.mark_ended()

    async def _end(self, index: int) -> None:
        """End the growing message as it is. Whatever Slack says to that, the answer can still be shown."""
        if not self.handle.stream:
            return
        try:
            await self._api.stop_stream(self._place, self.handle.stream, (), self._turn, index)
        except DeliveryRejected as error:
            log.info("slack: a growing message was not ended (%s)", error)
        self.handle = replace(self.handle, stream="")

    async def _change(self, index: int, page: MessageDraft) -> None:
        """Change a message. One that Slack does not let be changed is gone, once its text is due.

        Raises TooLong where a shorter text may pass.
        """
        if not page.text:
            return
        with_buttons = button_forms(page.text, page.buttons) if page.buttons else ()
        content = with_buttons or footed_forms(page.text, page.foot)
        try:
            await self._api.update(self._place, self.handle.parts[index], content, self._turn, index)
        except DeliveryRejected as error:
            if not page.closed or (isinstance(error, TooLong) and len(page.text) > SMALLEST_ROOM):
                raise
            raise MessageGone("a message that cannot be changed is sent anew") from error
        self._shown[index] = page.text

    def _chunks(self, text: str, page: MessageDraft) -> list[JsonObject]:
        """Return what is new: cards of the steps that changed, and text."""
        chunks = self._cards.updates(page.steps, closed=page.closed)
        if text:
            chunks.append({"type": "markdown_text", "text": text})
        return chunks

    async def _find_lost(self, index: int) -> None:
        """Look for a message that was on its way when we last heard of it, and make it ours again."""
        if not self.handle.sending:
            return
        try:
            unsigned, parts = self._place.thread is not None and not self.signed, self.handle.parts
            found = await self._own_messages()
            lost = await find_sent(found, self._turn, index, parts, unsigned=unsigned)
        except DeliveryRejected as error:
            log.warning("slack: cannot look whether a message arrived (%s)", error)
            await self._note(sending=False, doubtful=True)
            return
        if lost is None:
            self.handle = replace(self.handle, late=True)
            return
        growing = lost.ts if lost.part < 0 else ""
        self._shown.pop(index, None)
        await self._note(parts=(*self.handle.parts, lost.ts), stream=growing, sending=False)

    async def _own_messages(self) -> AsyncIterator[OwnMessage]:
        return self._api.own_messages_since(self._place, self._since, (await self._me()).user)

    async def _note(self, **changes: object) -> None:
        await self.note(replace(self.handle, **changes))  # type: ignore[arg-type]


def steps_shown_as_cards(pages: ReplyMessages, count: int) -> bool:
    """Tell whether a reply of so many pages shows cards: its last page grows, or is yet to begin."""
    parts = pages.handle.parts
    return pages.grows if len(parts) < count else pages.is_growing(len(parts) - 1)
