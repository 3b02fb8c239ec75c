"""A reply on its way to a chat: native streams in threads, changed messages elsewhere, then the files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.files import human_size, unsent_file_text
from parley.channels.slack.api import SlackApi, SlackDestination
from parley.channels.slack.blocks import answer_foot, buttons_of, options_list, split_parts
from parley.channels.slack.errors import TooLong
from parley.channels.slack.file_transfer import SlackFileTransfer
from parley.channels.slack.formatting import SplitPoint, escape_mentions, split_messages, with_steps
from parley.channels.slack.outbound.agent_session import RENEW_AFTER, SlackAgentSession
from parley.channels.slack.outbound.message_draft import to_drafts
from parley.channels.slack.outbound.reply_messages import ReplyMessages, steps_shown_as_cards
from parley.channels.slack.users import SlackBotIdentity
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelError, DeliveryRejected
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SlackReplyTiming:
    """Seconds in the life of a growing message: from `rotate` on it is ended between two words, at `most`
    anywhere. Slack itself ends it after 300. `sharing` are the pauses in which a file that was on its way
    when we last heard of it is looked for. A status line is set again after `renew`.
    """

    rotate: float = 240.0
    most: float = 280.0
    sharing: tuple[float, ...] = (0.2, 0.4, 0.8, 1.6)
    renew: float = RENEW_AFTER


@dataclass(frozen=True, slots=True)
class SlackReplyContext:
    """What a reply is made with."""

    api: SlackApi
    transfer: SlackFileTransfer
    rhythm: SlackReplyTiming
    me: Callable[[], Awaitable[SlackBotIdentity]]
    clock: Callable[[], float]
    steps: str = ""
    """How Slack is to show steps, "" for its own way."""


class SlackReply(Reply):
    """One turn's answer, as messages in one place."""

    def __init__(
        self,
        means: SlackReplyContext,
        target: ReplyTarget,
        place: SlackDestination,
        checkpoint: Checkpoint,
        title: str = "",
    ) -> None:
        self._means = means
        self._api = means.api
        self._target = target
        self._place = place
        self._session = SlackAgentSession(
            means.api,
            place,
            target.asker.language,
            title,
            resumed=bool(target.handle),
            renew=means.rhythm.renew,
        )
        self._pages = ReplyMessages(
            means.api, target, place, checkpoint, self._session, means.me, means.clock, means.steps
        )

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the answer so far with its steps."""
        await self._session.show_stop_button()
        text = escape_mentions(snapshot.text, growing=True)
        self._drop_wrong_cuts(text)
        texts = split_messages(text, self._pages.handle.cuts, self._pages.room(snapshot.steps))
        if not texts and not snapshot.steps and not self._pages.handle.parts:
            await self._session.show_thinking_status()
        else:
            await self._turn_page(text, len(texts))
            await self._write(text, snapshot, final=False)
            await self._session.hide_thinking_status()

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Send the messages in full, none too many, a question's buttons under the last, then the files."""
        text = escape_mentions(snapshot.text + options_list(snapshot.question))
        self._pages.signed = snapshot.question is not None
        self._drop_wrong_cuts(text)
        await self._pages.take_away_after(await self._write(text, snapshot, final=True))
        await self._session.clear()
        for file in snapshot.attachments[len(self._pages.handle.files) :]:
            await self._send_file(file)
        await self._session.rename(snapshot.title)
        handle = self._pages.handle
        ids = tuple(f"{self._place.chat}:{ts}" for ts in handle.parts)
        return Receipt((*ids, *handle.files), handle.doubtful, handle.late)

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Change the answer's messages to their text once more; one that was taken away stays away.

        Those that arrived only now are taken away.
        """
        self._pages.resends = False
        text = escape_mentions(snapshot.text)
        self._drop_wrong_cuts(text)
        await self._write(text, snapshot, final=True)
        if self._pages.handle.late:
            await self._pages.take_away_late()

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Show what was decided in the question's messages, without buttons."""
        self._pages.signed = True
        await self._pages.settle(escape_mentions(snapshot.text))

    async def _write(self, text: str, snapshot: OutboundMessage, *, final: bool) -> int:
        """Bring every message up to date, in smaller ones where Slack finds them too long; returns how many
        there should be."""
        while True:
            try:
                return await self._write_parts(text, snapshot, final=final)
            except TooLong as error:
                if not self._pages.take_smaller_room(snapshot.steps):
                    raise
                log.info("slack: messages are made smaller (%s)", error)

    async def _write_parts(self, text: str, snapshot: OutboundMessage, *, final: bool) -> int:
        buttons = buttons_of(snapshot.question, self._target.asker.language)
        cuts, room = self._pages.handle.cuts, self._pages.room(snapshot.steps)
        texts = split_parts(text, buttons=True, room=room) if buttons else split_messages(text, cuts, room)
        cards = steps_shown_as_cards(self._pages, max(1, len(texts)))
        if not final and not cards:
            texts = with_steps(texts, snapshot.steps, room)
        elif not final and not texts and snapshot.steps:
            texts = ("",)
        pages = to_drafts(texts, snapshot.steps if cards else (), final=final)
        if buttons and pages:
            pages[-1] = replace(pages[-1], buttons=buttons)
        elif pages and final:
            pages[-1] = replace(pages[-1], foot=answer_foot(snapshot, self._target.asker.language))
        for number, page in enumerate(pages):
            await self._pages.write(number, page)
        return len(pages)

    async def _turn_page(self, text: str, count: int) -> None:
        """End a growing message that is old before Slack does, and go on in a new one."""
        handle, age = self._pages.handle, self._means.clock() - self._pages.began
        if not handle.stream or len(handle.parts) != count or age < self._means.rhythm.rotate:
            return
        start = handle.cuts[-1].at if handle.cuts else 0
        shown = start + self._pages.length(len(handle.parts) - 1)
        border = max(text.rfind("\n", shown), text.rfind(" ", shown)) + 1
        if not border and age < self._means.rhythm.most:
            return
        cut = SplitPoint.at_offset(text, border or len(text))
        await self._pages.note(replace(handle, cuts=(*handle.cuts, cut)))

    def _drop_wrong_cuts(self, text: str) -> None:
        handle = self._pages.handle
        if not all(cut.fits(text) for cut in handle.cuts):
            self._pages.handle = replace(handle, cuts=())

    async def _send_file(self, file: StoredFile) -> None:
        pages = self._pages
        if pages.handle.upload and await self._arrived(pages.handle.upload):
            done = pages.handle.upload
        else:
            done = await self._upload(file)
        await pages.note(replace(pages.handle, files=(*pages.handle.files, done), upload=""))

    async def _arrived(self, file_id: str) -> bool:
        """Tell whether a file that was on its way is there. Slack shows one a while after it agreed to."""
        try:
            for pause in (0.0, *self._means.rhythm.sharing):
                await asyncio.sleep(pause)
                if await self._means.transfer.is_shared(file_id):
                    return True
            return False
        except DeliveryRejected as error:
            log.warning("slack: cannot look whether a file arrived (%s)", error)
            await self._pages.note(replace(self._pages.handle, doubtful=True))
            return False

    async def _upload(self, file: StoredFile) -> str:
        """Show a file, or say why not; returns what was sent."""
        pages = self._pages
        try:
            file_id = await self._means.transfer.upload(file)
            await pages.note(replace(pages.handle, upload=file_id))
            await self._share(file_id, file)
        except (AttachmentRefused, DeliveryRejected) as error:
            log.warning("slack: a file of %s was not sent: %s", human_size(file.size), error)
            words = unsent_file_text(file, error, self._target.asker.language)
            return await self._api.post(self._place, words, self._target.turn_id, -1)
        return file_id

    async def _share(self, file_id: str, file: StoredFile) -> None:
        try:
            await self._means.transfer.share(self._place, file_id, file.name)
        except ResponseLost:
            raise
        except ChannelError:
            # It certainly is not there.
            self._pages.handle = replace(self._pages.handle, upload="")
            raise
