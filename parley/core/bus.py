"""The message bus: inbound messages become durable work, outbound snapshots reach their reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Mapping
from contextlib import AbstractContextManager

from parley.core.access import Verdict, judge, may_talk, mention_in
from parley.core.asking import Happening, QuestionEvent, QuestionRecord, click_put, read
from parley.core.asking import document_key as document_key_of
from parley.core.busy import accepted
from parley.core.busy_choices import BusyChoices
from parley.core.clean import clean_message
from parley.core.codec import encode
from parley.core.commands.parse import is_command
from parley.core.conversations import document_key
from parley.core.deciding import arguments_in, may_decide
from parley.core.entries import entered
from parley.core.options import ChannelOptions, Mention, OnEdit
from parley.core.people import chosen_language
from parley.core.ports import Journal, Put
from parley.core.questions import outcome
from parley.core.queues import commands_of
from parley.core.texts import Sentence, language_of, say
from parley.core.types import EDIT, Click, InboundMessage, OutboundMessage

# Longer texts are cleaned off the loop: the worst kind takes some milliseconds for every thousand characters.
_LONG = 5_000

Offer = Callable[[OutboundMessage], None]


class MessageBus:
    """Joins channels to the manager; neither knows the other."""

    def __init__(
        self,
        journal: Journal,
        channels: Mapping[str, ChannelOptions],
        paired: Container[str] = (),
        busy: BusyChoices | None = None,
    ) -> None:
        """`paired` has the keys of the accounts that an administrator let in."""
        self.busy = busy or BusyChoices(journal)
        self._journal = journal
        self._channels = channels
        self._paired = paired
        self._replies: dict[str, Offer] = {}

    async def publish_inbound(self, message: InboundMessage) -> bool:
        """Make a message durable, cleaned; returns False when it is known already, or not for us.

        Commands, and messages that will only be refused, wait in a queue of their own so that they never
        stand behind a run. No edit is a command, or refused: it is for the agent, or nothing. Raises
        StoreUnavailable: the platform must not be acknowledged.
        """
        if len(message.text) + len(message.quoted) > _LONG:
            message = await asyncio.to_thread(clean_message, message)
        else:
            message = clean_message(message)
        conversation = message.conversation
        options = self._channels[conversation.channel]
        verdict = judge(options, message, ours=await self._is_ours(options, message), paired=self._paired)
        if verdict is Verdict.IGNORE:
            return False
        quick = verdict is not Verdict.ALLOW or is_command(message.text)
        if message.edits and (quick or options.on_edit is OnEdit.IGNORE):
            return False
        if quick:
            name = f"{conversation.channel}:{message.id}"
            puts: tuple[Put, ...] = (
                Put(commands_of(conversation.channel), conversation.key, encode(message), name),
            )
        else:
            puts = accepted(await self.busy.of(options, conversation), message)
        item, *_ = await self._journal.put(*puts)
        return item is not None

    async def publish_click(self, click: Click) -> str:
        """Make a press of a button durable; returns what to tell who pressed it. Raises StoreUnavailable."""
        options = self._channels[click.conversation.channel]
        chosen = await chosen_language(self._journal, click.sender)
        record = read(await self._journal.get(document_key_of(click.question)))
        asked_in = record.language if record is not None else ""
        language = language_of(chosen, options.language, click.sender.language, asked_in)
        if record is None:
            return say(language, Sentence.QUESTION_STALE)
        if not record.open:
            return outcome(record)
        refusal = _refusal(options, record, click, self._paired)
        if refusal is not None:
            return say(language, refusal, name=record.asker.name or record.asker.id)
        event = QuestionEvent(Happening.CLICK, click.question, click)
        await self._journal.put(click_put(record, event, f"{click.conversation.channel}:click:{click.id}"))
        return say(language, Sentence.QUESTION_TAKEN)

    def publish_outbound(self, snapshot: OutboundMessage) -> None:
        """Offer a snapshot to its turn's reply. Never waits: the newest one wins."""
        offer = self._replies.get(snapshot.turn_id)
        if offer is not None:
            offer(snapshot)

    def outbound(self, turn_id: str, offer: Offer) -> AbstractContextManager[None]:
        """While open, `offer` gets the turn's snapshots."""
        return entered(self._replies, turn_id, offer)

    async def _is_ours(self, options: ChannelOptions, message: InboundMessage) -> bool:
        if message.private or message.addressed or message.conversation.topic is None:
            return False
        if mention_in(options, message.conversation.chat) is not Mention.THREAD:
            return False
        return (await self._journal.get(document_key(message.conversation))).version > 0


def _refusal(
    options: ChannelOptions, record: QuestionRecord, click: Click, paired: Container[str]
) -> Sentence | None:
    """Why a click decides nothing."""
    if not may_talk(options, click.sender, click.conversation.chat, paired):
        return Sentence.QUESTION_NOT_YOURS
    if not may_decide(record.rules, click.sender, record.asker, options.admins):
        return Sentence.QUESTION_NOT_YOURS
    if click.option == EDIT:
        readable = record.question.may_edit and arguments_in(click.text)
        return None if readable else Sentence.QUESTION_UNREADABLE
    known = {option.id for option in record.question.options}
    return None if click.option in known or (not click.option and click.text) else Sentence.QUESTION_STALE
