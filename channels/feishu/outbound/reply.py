"""A reply on its way to a chat: one message a part, growing in streaming cards, then the files."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from parley.channels.feishu.api import FeishuApi, FeishuDestination
from parley.channels.feishu.errors import PlaceLost
from parley.channels.feishu.file_transfer import FeishuFileTransfer
from parley.channels.feishu.formatting import THINKING, named_pictures, plain, render, steps_text
from parley.channels.feishu.outbound.message_part import UUID_LIFE, MessagePart, RenderLevelPolicy
from parley.channels.feishu.outbound.reply_state import FeishuReplyState, PartState
from parley.channels.feishu.pressed_cards import PressedCards
from parley.channels.feishu.question_card import (
    NO_FOOTER,
    CardFooter,
    answer_footer,
    footer_for,
    split_question,
    stop_element,
)
from parley.channels.kit.files import human_size, unsent_file_text
from parley.channels.kit.lru import LruCache
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AttachmentRefused, DeliveryRejected
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Checkpoint, Reply

log = logging.getLogger(__name__)

_CHAT = re.compile(r"[\w-]{1,128}\Z")


@dataclass(frozen=True, slots=True)
class FeishuReplyContext:
    """What all replies of an app have in common; `said` is what they said, by message."""

    api: FeishuApi
    files: FeishuFileTransfer
    rungs: RenderLevelPolicy
    said: LruCache[str]
    pressed: PressedCards


class FeishuReply(Reply):
    """One turn's answer, as messages in one place."""

    def __init__(self, shared: FeishuReplyContext, target: ReplyTarget, checkpoint: Checkpoint) -> None:
        self._shared, self._target, self._checkpoint = shared, target, checkpoint
        self._place = destination_of(target)
        self._handle = FeishuReplyState.load(target.handle)
        self._carriers: list[MessagePart] = []
        for index, part in enumerate(self._handle.parts):
            self._carriers.append(self._carrier(index, part))

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the answer so far with its steps; parts that are full stand, the last one grows."""
        await self._take_away_left()
        texts = render(snapshot.text)
        steps = steps_text(texts, snapshot.steps)
        *full, last = texts or (THINKING,)
        for index, text in enumerate(full):
            if self._at(index).shown != text:
                await self._at(index).settle(text)
        await self._at(len(full)).grow(last, steps)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Send the messages in full, none too many, and then the files."""
        await self._take_away_left()
        pictures = await self._pictures(snapshot) if snapshot.question is None else {}
        await self._until_answered()
        texts, foot = self._laid_out(snapshot, pictures)
        for index, text in enumerate(texts):
            message = await self._at(index).settle(text, foot if index == len(texts) - 1 else NO_FOOTER)
            self._shared.said.put(message, text)
        await self._take_away_after(len(texts))
        for file in self._not_shown(snapshot, pictures)[len(self._handle.files) :]:
            await self._send_file(file)
        messages = tuple(part.message for part in self._handle.parts)
        doubtful = self._handle.doubtful or any(carrier.doubtful for carrier in self._carriers)
        return Receipt((*messages, *self._handle.files), doubtful)

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Write the text into the answer's messages once more; one that was taken away stays away."""
        await self._until_answered()
        texts, foot = self._laid_out(snapshot, {name: key for name, key in self._handle.pictures if key})
        for index, (carrier, text) in enumerate(zip(self._carriers, texts, strict=False)):
            await carrier.rewrite(text, foot if index == len(texts) - 1 else NO_FOOTER)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Give the messages of a question other words, and no buttons."""
        if not self._carriers:
            return
        await self._until_answered()
        texts = split_question(snapshot.text)
        if len(texts) > len(self._carriers):
            # Somebody decided with very many words, which stand in the chat anyway.
            texts = (*texts[: len(self._carriers) - 1], f"{texts[len(self._carriers) - 1]}\n…")
        # The last message is the one with the buttons, so it is kept when fewer are needed now.
        earlier = len(texts) - 1
        for carrier, text in zip((*self._carriers[:earlier], self._carriers[-1]), texts, strict=True):
            await carrier.settle_question(text)
        for carrier in self._carriers[earlier:-1]:
            await carrier.withdraw()

    async def _until_answered(self) -> None:
        """Wait until no press of a button here is in hand: what changes a card meanwhile is undone."""
        for part in self._handle.parts:
            await self._shared.pressed.wait(part.message)

    def _at(self, index: int) -> MessagePart:
        if index == len(self._carriers):
            self._carriers.append(self._carrier(index, None))
        return self._carriers[index]

    def _carrier(self, index: int, part: PartState | None) -> MessagePart:
        place = self._place if index == 0 or self._place.in_thread else replace(self._place, answered="")
        shared = self._shared
        return MessagePart(
            shared.api,
            shared.rungs,
            place,
            self._target.turn_id,
            index,
            part,
            self._part_noter(index),
            stop_element(self._target.turn_id, self._target),
        )

    def _part_noter(self, index: int) -> Callable[[PartState, str], Awaitable[None]]:
        async def note(part: PartState, left: str) -> None:
            parts, gone = self._handle.parts, (*self._handle.left, left) if left else self._handle.left
            await self._note(
                replace(self._handle, parts=(*parts[:index], part, *parts[index + 1 :]), left=gone)
            )
            await self._take_away_left()

        return note

    async def _take_away_left(self) -> None:
        """Take away messages that were noted before: who goes on after a crash writes to none of them."""
        for message in self._handle.left:
            with suppress(DeliveryRejected):
                await self._shared.api.recall(message)
            left = tuple(each for each in self._handle.left if each != message)
            await self._note(replace(self._handle, left=left))

    async def _take_away_after(self, count: int) -> None:
        """Take away what the streamed text had more than the final one, which may be none at all."""
        while len(self._carriers) > count:
            await self._carriers[-1].withdraw()
            self._carriers.pop()
            await self._note(replace(self._handle, parts=self._handle.parts[: len(self._carriers)]))

    def _laid_out(
        self, snapshot: OutboundMessage, pictures: Mapping[str, str]
    ) -> tuple[tuple[str, ...], CardFooter]:
        """Return the text of each message, and what stands under the last one."""
        if snapshot.question is not None:
            foot = footer_for(snapshot.question, self._target)
            return split_question(snapshot.text, foot), foot
        texts = render(snapshot.text, pictures)
        return texts, answer_footer(snapshot, texts[-1], self._target) if texts else NO_FOOTER

    async def _pictures(self, snapshot: OutboundMessage) -> dict[str, str]:
        """Upload the files that the text shows as pictures, once; return their keys by name."""
        wanted = named_pictures(snapshot.text)
        names = Counter(file.name for file in snapshot.attachments)
        known = dict(self._handle.pictures)
        for file in snapshot.attachments:
            once = names[file.name] == 1 and file.name not in known
            if once and file.name in wanted and self._shared.files.is_picture(file):
                known[file.name] = await self._picture(file)
                await self._note(replace(self._handle, pictures=tuple(known.items())))
        return {name: key for name, key in known.items() if key}

    async def _picture(self, file: StoredFile) -> str:
        try:
            return await self._shared.files.upload_picture(file)
        except PlaceLost:
            raise
        except (AttachmentRefused, DeliveryRejected) as error:
            # It is sent by itself, and where that is refused too, people are told why.
            log.info("feishu: a picture does not stand among the words (%s)", error)
            return ""

    def _not_shown(self, snapshot: OutboundMessage, pictures: Mapping[str, str]) -> Sequence[StoredFile]:
        """Return the files that stand in no card: a plainer message shows no pictures among its words."""
        if not all(part.rung.grows for part in self._handle.parts):
            return snapshot.attachments
        return [file for file in snapshot.attachments if file.name not in pictures]

    async def _send_file(self, file: StoredFile) -> None:
        now, began = time.time(), self._handle.trying
        doubtful = self._handle.doubtful or (began > 0 and now - began > UUID_LIFE)
        await self._note(replace(self._handle, trying=began or now, doubtful=doubtful))
        message = await self._file_or_reason(file, len(self._handle.files))
        await self._note(replace(self._handle, files=(*self._handle.files, message), trying=0.0))

    async def _file_or_reason(self, file: StoredFile, index: int) -> str:
        place = self._place if self._place.in_thread else replace(self._place, answered="")
        digest = hashlib.sha256(self._target.turn_id.encode()).hexdigest()[:32]
        try:
            return await self._shared.files.send(place, file, f"{digest}-f{index}")
        except PlaceLost:
            raise
        except (AttachmentRefused, DeliveryRejected) as error:
            log.warning("feishu: a file of %s was not sent: %s", human_size(file.size), error)
            text = unsent_file_text(file, error, self._target.asker.language)
            return await self._shared.api.send(place, "text", plain(text), f"{digest}-r{index}")

    async def _note(self, handle: FeishuReplyState) -> None:
        self._handle = handle
        await self._checkpoint(handle.dump())


def destination_of(target: ReplyTarget) -> FeishuDestination:
    """Return where a target is. Raises DeliveryRejected for one that is not Feishu's.

    In a private chat everything is an answer; quoting it each time would only be noise.
    """
    conversation = target.conversation
    # A question that is asked in another chat than it comes from answers nothing there.
    if not all(_CHAT.match(each) for each in (conversation.chat, target.reply_to or conversation.chat)):
        raise DeliveryRejected(f"no Feishu chat: {conversation.key}")
    in_thread = conversation.topic is not None
    answered = target.reply_to if in_thread or not target.private else ""
    return FeishuDestination(conversation.chat, answered, in_thread)
