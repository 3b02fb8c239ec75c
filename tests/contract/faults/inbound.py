"""Faults on the way in."""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from parley.core.model.address import Conversation
from parley.core.model.attachments import Attachment
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import InboundMessage
from parley.core.ports.channel import Inbox
from parley.core.ports.journal import Journal, QueueItem
from parley.core.state.conversations import conversation_document_key
from tests.contract.faults.fault import Around, Fault, hearing
from tests.contract.harness.parley_process import Seed
from tests.contract.harness.unreliable_journal import UnreliableJournal

_numbers = count()


class AcknowledgesFirst(Around):
    """Lets the platform forget a message before it is on disk."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        self.later = asyncio.create_task(self._accept_later(inbox, message))

    async def _accept_later(self, inbox: Inbox, message: InboundMessage) -> None:
        with suppress(StoreUnavailable):
            await inbox.accept(message)


class ShrugsOff(Around):
    """Takes a store that is away for a message that is done with."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        with suppress(StoreUnavailable):
            await inbox.accept(message)


class HearsBackwards(Around):
    """Hands messages on in pairs, the later one first, and dates them so.

    With their own times the core would put them in order again, for channels whose times are exact.
    """

    held: InboundMessage | None = None

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if self.held is None:
            self.held = message
            return
        earlier, self.held = self.held, None
        await inbox.accept(replace(message, sent_at=earlier.sent_at))
        await inbox.accept(replace(earlier, sent_at=message.sent_at))


class HearsOneVoice(Around):
    """Takes everybody for the first one who spoke."""

    first: InboundMessage | None = None

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        self.first = self.first or message
        await inbox.accept(replace(message, sender=self.first.sender))


class DeafToBots(Around):
    """Hears people only, whatever the settings say."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if not message.sender.bot:
            await inbox.accept(message)


class TakesTheFirstFile(Around):
    """Knows one file a message, and one message an album."""

    album = ""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if message.group and message.group == self.album:
            return
        self.album = message.group
        await inbox.accept(replace(message, attachments=message.attachments[:1]))


class ChokesOnHalfASign(Around):
    """Breaks over text that no decoder likes."""

    async def accept(self, inbox: Inbox, message: InboundMessage) -> None:
        if "\ufffd" in message.text:
            raise ValueError("cannot read this")
        await inbox.accept(message)


class SeesNothingWaiting(UnreliableJournal):
    """Takes a conversation in which nothing was answered yet for one in which nothing was asked."""

    def __init__(self, inner: Journal) -> None:
        super().__init__(inner, lambda: None)

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        known = await self.get(conversation_document_key(Conversation.parse(lane)))
        return await super().waiting(queue, lane) if known.version else ()


class NoCap(Around):
    """Fetches files of any size."""

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        return await self.inner.fetch(attachment, into, 10**9)


class BelievesTheSize(Around):
    """Holds the declared size against the cap, and never counts."""

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        believed = 10**9 if attachment.size <= limit else limit
        return await self.inner.fetch(attachment, into, believed)


class LosesTheLastByte(Around):
    """Downloads all but the end."""

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        size = await self.inner.fetch(attachment, into, limit)
        content = await asyncio.to_thread(into.read_bytes)
        await asyncio.to_thread(into.write_bytes, content[:-1])
        return size


class LogsTheLink(Around):
    """Writes where files come from into the log, and with it the token."""

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        logging.getLogger("parley.channels").info(
            "fetching /file/bot%s/%s", self.driver.secrets[0], attachment.name
        )
        return await self.inner.fetch(attachment, into, limit)


FAULTS = (
    Fault("acknowledge before accepting", "durable_before_acknowledged", Seed(AcknowledgesFirst)),
    Fault("lose what was heard in a crash", "crash_before_accepting", Seed(AcknowledgesFirst)),
    Fault("shrug off a store that is away", "durable_before_acknowledged", Seed(ShrugsOff)),
    Fault("hear out of order", "one_after_the_other", Seed(HearsBackwards)),
    Fault("take everybody for one person", "writers_are_told_apart", Seed(HearsOneVoice)),
    Fault("take one file of many", "an_album_is_one_turn", Seed(TakesTheFirstFile)),
    Fault("choke on half a sign", "rubbish_is_survived", Seed(ChokesOnHalfASign), only="telegram"),
    Fault("ignore the cap", "too_large_is_left_out", Seed(NoCap)),
    Fault("believe the declared size", "the_cap_counts_bytes", Seed(BelievesTheSize)),
    Fault("lose the last byte", "files_come_in_whole", Seed(LosesTheLastByte)),
    Fault("log a link with the token", "secrets_stay_out_of_the_log", Seed(LogsTheLink)),
    hearing(
        "number messages anew each time",
        "delivered_twice_heard_once",
        lambda message: replace(message, id=f"{message.id}-{next(_numbers)}"),
    ),
    hearing(
        "take private talk for public",
        "strangers_are_told_so",
        lambda message: replace(message, private=False),
    ),
    hearing(
        "answer unaddressed talk",
        "talk_of_others_is_theirs",
        lambda message: replace(message, addressed=True),
    ),
    hearing(
        "answer to mentions only",
        "a_reply_to_us_is_for_us",
        lambda message: replace(message, addressed=message.addressed and not message.quoted),
    ),
    hearing(
        "not say what is looked at",
        "what_somebody_looks_at_is_told",
        lambda message: replace(message, viewing=()),
    ),
    hearing("forget what is quoted", "a_reply_to_us_is_for_us", lambda message: replace(message, quoted="")),
    hearing(
        "keep our mention",
        "mention_removed",
        lambda message: message if message.private else replace(message, text=f"@parley_bot {message.text}"),
    ),
    hearing(
        "take out every mention",
        "mention_removed",
        lambda message: replace(message, text=re.sub(r"@\w+ ?", "", message.text)),
    ),
    hearing(
        "lose the topic of a question",
        "topics_are_apart",
        lambda message: replace(message, conversation=replace(message.conversation, topic=None)),
    ),
    hearing(
        "know people by their names",
        "heard_as_said",
        lambda message: replace(message, sender=replace(message.sender, id=message.sender.name)),
    ),
    hearing(
        "tell a run nothing of privacy",
        "runs_know_who_and_where",
        lambda message: replace(message, private=False),
    ),
    hearing(
        "take a group for one person",
        "people_of_a_group_are_two_to_a_run",
        lambda message: replace(message, sender=replace(message.sender, id="group")),
    ),
    hearing(
        "take a name for an account",
        "nobody_passes_for_another",
        lambda message: replace(message, sender=replace(message.sender, id=message.sender.name)),
    ),
    hearing(
        "hear English only",
        "any_script",
        lambda message: replace(message, text=message.text.encode("ascii", "ignore").decode()),
    ),
    hearing(
        "take an edit for a message of its own",
        "an_edit_is_answered_anew",
        lambda message: replace(message, edits=""),
    ),
    hearing(
        "tell no two edits of a message apart",
        "an_edit_is_answered_anew",
        lambda message: replace(message, id=f"{message.edits}:edit") if message.edits else message,
    ),
    hearing(
        "take an edit for the same message once more",
        "an_edit_stops_the_answer_to_what_it_changes",
        lambda message: replace(message, id=message.edits or message.id, edits=""),
    ),
    hearing(
        "answer every edit",
        "edits_are_left_alone",
        lambda message: replace(message, edits=""),
        "dials",
    ),
    Fault("wait for an answer in a topic", "a_topic_is_ours_at_once", Seed(journal=SeesNothingWaiting)),
    hearing(
        "take commands for talk",
        "commands_pass_a_run",
        lambda message: replace(message, text=message.text.replace("/", "\u2044", 1)),
    ),
    hearing(
        "take a chat for another",
        "chats_have_their_own_rules",
        lambda message: replace(
            message,
            conversation=replace(message.conversation, chat=message.conversation.chat.swapcase()[::-1]),
        ),
    ),
    hearing(
        "hear everything in capitals",
        "a_rule_needs_no_mention",
        lambda message: replace(message, text=message.text.upper()),
    ),
    hearing(
        "take every message for us",
        "a_rule_needs_no_mention",
        lambda message: replace(message, addressed=True),
    ),
    hearing(
        "take bots for people",
        "listed_bots_are_answered",
        lambda message: replace(message, sender=replace(message.sender, bot="")),
    ),
    Fault("hear no bot", "listed_bots_are_answered", Seed(channel=DeafToBots)),
    hearing(
        "take bots for people in the count",
        "bots_do_not_go_on_for_ever",
        lambda message: replace(message, sender=replace(message.sender, bot="")),
    ),
    hearing(
        "rename files",
        "files_come_in_whole",
        lambda message: replace(
            message, attachments=tuple(replace(file, name="file") for file in message.attachments)
        ),
    ),
)
