"""The message bus: inbound messages become durable work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import replace

from parley.core.inbound.access import AccessVerdict, decide_access
from parley.core.inbound.busy_policy import inbound_items
from parley.core.inbound.busy_policy_cache import BusyPolicyCache
from parley.core.inbound.follow_ups import FollowUpRecheck
from parley.core.inbound.hearing import is_worth_keeping, most_characters
from parley.core.inbound.own_topics import OwnTopics, begins_topic
from parley.core.model.codec import encode
from parley.core.model.command_syntax import is_command
from parley.core.model.options import ChannelOptions, EditPolicy, MentionPolicy
from parley.core.model.queues import command_queue
from parley.core.model.sanitize import sanitize_message
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Journal, NewQueueItem
from parley.core.ports.telemetry import NO_TELEMETRY, Acceptance, AcceptedMessage, Period, Telemetry
from parley.core.state.feedback import is_prompt
from parley.core.state.heard_messages import keep_heard

# Longer texts are cleaned off the loop: the worst kind takes some milliseconds for every thousand characters.
_LONG = 5_000


class MessageBus:
    """Joins channels to the manager; neither knows the other.

    `accepted` is told of each message for the agent, and of the number that it waits under.
    """

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        paired: Container[str] = (),
        busy: BusyPolicyCache | None = None,
        without_history: Container[str] = (),
        telemetry: Telemetry = NO_TELEMETRY,
        clock: Callable[[], float] = time.time,
        crossing: Callable[[], float] = lambda: 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`paired` has the keys of the accounts that an administrator let in. `without_history` names the
        channels whose bots cannot read what was said before: what they hear in groups is kept for a while.
        `crossing` returns for how many seconds another node may yet store what was said before something
        that is stored here: 0 without other nodes.
        """
        self._telemetry = telemetry
        self.accepted: Callable[[InboundMessage, int], None] = _ignore
        self._clock = clock
        self.busy = busy or BusyPolicyCache(journal)
        self._journal = journal
        self._channels = channels
        self._paired = paired
        self._without_history = without_history
        self._topics = OwnTopics(journal)
        self.crossing = crossing
        self.follow_ups = FollowUpRecheck(self._topics, self._accept_follow_up, monotonic)

    async def publish_inbound(self, message: InboundMessage) -> bool:
        """Make a message durable, cleaned; returns False when it is known already, or not for us: then it is
        kept at most to be read above a later one.

        Commands, and messages that will only be refused, wait in a queue of their own so that they never
        stand behind a run. No edit is a command, or refused: it is for the agent, or nothing. Raises
        StoreUnavailable: the platform must not be acknowledged.
        """
        began, since = self._clock(), time.monotonic()
        message = await _sanitized(message)
        options = self._options(message)
        message = await self._with_comment(options, message)
        ours = await self._is_ours(options, message)
        if ours:
            await self.follow_ups.settle(message.conversation.key)
        became, item = await self._accept(options, message, ours)
        if became is Acceptance.IGNORED and not ours and self._may_follow_up(options, message):
            self.follow_ups.hold(message)
        self._report(message, became, item, Period(began, time.monotonic() - since))
        return item is not None

    async def _accept_follow_up(self, message: InboundMessage) -> None:
        """Accept a message that was ignored, and counted so, as if it came now: its topic is ours."""
        began, since = self._clock(), time.monotonic()
        became, item = await self._accept(self._options(message), message, True)
        if became is not Acceptance.IGNORED:
            self._report(message, became, item, Period(began, time.monotonic() - since))

    def _report(self, message: InboundMessage, became: Acceptance, item: int | None, period: Period) -> None:
        channel = message.conversation.channel
        self._telemetry.message_accepted(AcceptedMessage(channel, became, period, item or 0))

    def _options(self, message: InboundMessage) -> ChannelOptions:
        return self._channels[message.conversation.channel].at(message.conversation)

    async def _accept(
        self, options: ChannelOptions, message: InboundMessage, ours: bool
    ) -> tuple[Acceptance, int | None]:
        """Return what a message became, and the number that it waits under, if it does."""
        conversation = message.conversation
        verdict = decide_access(options, message, ours=ours, paired=self._paired)
        if verdict is AccessVerdict.IGNORE:
            await self._keep(options, message)
            return Acceptance.IGNORED, None
        commands = is_command(message.text) and not message.sender.bot
        quick = verdict is not AccessVerdict.ALLOW or commands
        if message.edits and (quick or options.on_edit is EditPolicy.IGNORE):
            return Acceptance.IGNORED, None
        if quick:
            name = f"{conversation.channel}:{message.id}"
            queue = command_queue(conversation.channel)
            (item,) = await self._journal.put(NewQueueItem(queue, conversation.key, encode(message), name))
        else:
            with self._topics.arriving(conversation):
                policy = await self.busy.get(options, conversation)
                item, *_ = await self._journal.put(*inbound_items(policy, message))
            if item is not None:
                self.accepted(message, item)
        became = Acceptance.COMMAND if quick else Acceptance.TURN
        return became if item is not None else Acceptance.DUPLICATE, item

    async def _with_comment(self, options: ChannelOptions, message: InboundMessage) -> InboundMessage:
        """Return a reply to our question what was wrong with an answer as the command that says so."""
        asked = options.feedback and message.private and message.replies_to and not message.edits
        if not asked or not message.text.strip() or is_command(message.text):
            return message
        if not await is_prompt(self._journal, message.conversation.channel, message.replies_to):
            return message
        return replace(message, text=f"/feedback bad {message.text}")

    async def _keep(self, options: ChannelOptions, message: InboundMessage) -> None:
        """Keep a message that is not for us where a later mention may bring it."""
        deaf = message.conversation.channel in self._without_history
        if deaf and is_worth_keeping(options, message, self._paired):
            wanted = options.earlier
            await keep_heard(self._journal, message, most_characters(wanted), message.sent_at - wanted.age)

    async def _is_ours(self, options: ChannelOptions, message: InboundMessage) -> bool:
        return _needs_no_mention(options, message) and await self._topics.is_ours(message.conversation)

    def _may_follow_up(self, options: ChannelOptions, message: InboundMessage) -> bool:
        """Return whether a message was left out only because its topic is not known to be ours."""
        if not self.crossing() or not _needs_no_mention(options, message):
            return False
        verdict = decide_access(options, message, ours=True, paired=self._paired)
        return verdict is not AccessVerdict.IGNORE


def _ignore(message: InboundMessage, item: int) -> None:
    """Let nobody know."""


def _needs_no_mention(options: ChannelOptions, message: InboundMessage) -> bool:
    """Return whether a message is for us if we talk in its topic already."""
    if message.private or message.addressed or message.conversation.topic is None:
        return False
    return options.mention is MentionPolicy.THREAD and not begins_topic(message)


async def _sanitized(message: InboundMessage) -> InboundMessage:
    spoken = sum(len(file.transcript) for file in message.attachments)
    if len(message.text) + len(message.quoted) + spoken > _LONG:
        return await asyncio.to_thread(sanitize_message, message)
    return sanitize_message(message)
