"""What a turn knows before it begins, in one look at the store, and how it leaves its conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.speakers import api_name
from parley.core.model.address import SHARED_PREFIX, RunIdentity, account_key
from parley.core.model.earlier_messages import MessagePosition
from parley.core.model.types import InboundMessage, JsonObject
from parley.core.ports.memory.tools import RunScope
from parley.core.services import CoreServices
from parley.core.state.conversations import (
    ConversationRecord,
    LoadedConversation,
    authors_of,
    conversation_document_key,
    decode_conversation,
)
from parley.core.state.heard_messages import NOTHING_HEARD, HeardRecord, decode_heard, heard_document_key
from parley.core.state.people import (
    account_document_key,
    decode_person,
    decode_person_id,
    person_document_key,
)
from parley.core.state.turn_record import TurnRecord, TurnStage
from parley.core.thread_context.reading import position_before, recalls_context
from parley.core.turns.bot_turns import count_bots
from parley.core.turns.retries import asked_messages

# How much of how many messages is kept to tell what a conversation is about.
_SAID, _SAID_MESSAGES = 500, 4


class SpeakerFields(TypedDict):
    """Those of a run's request that say who speaks."""

    identity: RunIdentity
    name: str


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A burst whose senders' languages are known, its conversation as it was seen, who wrote first, and what
    was heard in a group before it.
    """

    burst: tuple[QueuedMessage, ...]
    seen: LoadedConversation
    person: str
    heard: HeardRecord = NOTHING_HEARD

    def speaker(self, services: CoreServices, message: InboundMessage, language: str) -> SpeakerFields:
        """Return what the turn's run is told of who speaks: the fields of its request.

        `message` is the burst as one.
        """
        return {"identity": self._identity(services, message, language), "name": self._name()}

    def tools(self, services: CoreServices, message: InboundMessage, turn: str, assistant: str) -> JsonObject:
        """Return what the turn's run needs to call tools on memory: nothing for bots and several people."""
        senders = {(accepted.message.sender.id, accepted.message.sender.bot) for accepted in self.burst}
        if len(senders) > 1 or message.sender.bot:
            return {}
        account, place = account_key(message.sender), message.conversation.key
        scope = RunScope(self.person, account, place, assistant, message.private, turn)
        return services.memory_tools.grant(scope)

    def _identity(self, services: CoreServices, message: InboundMessage, language: str) -> RunIdentity:
        """Return who speaks, and where, for the turn's run.

        Where several wrote its messages none of them speaks for the others: the chat is the person.
        """
        place = message.conversation
        channel = services.channels[place.channel]
        shared = len({accepted.message.sender.id for accepted in self.burst}) > 1
        return RunIdentity(
            person=SHARED_PREFIX + place.key if shared else self.person,
            account="" if shared else account_key(message.sender),
            name="" if shared else message.sender.name,
            admin=not shared and message.sender.id in services.channel_options(message).admins,
            platform=channel.platform or channel.name,
            channel=place.channel,
            chat=place.chat,
            chat_kind=message.chat_kind or ("direct" if message.private else "group"),
            topic=place.topic or "",
            private=message.private,
            message_id=message.reply_to,
            message_link=message.link,
            language=language,
            viewing=() if shared else message.viewing,
        )

    def _name(self) -> str:
        """Return the name of the person's message; "" for several people's."""
        message = self.burst[0].message
        shared = any(accepted.message.sender.id != message.sender.id for accepted in self.burst)
        return "" if shared or message.resumes else api_name(message.sender, private=message.private)


async def load_turn_context(services: CoreServices, burst: Sequence[QueuedMessage]) -> TurnContext:
    """Look at a burst's conversation and people. Raises StoreUnavailable."""
    place = conversation_document_key(burst[0].message.conversation)
    accounts = dict.fromkeys(account_key(accepted.message.sender) for accepted in burst)
    # Nearly every account is a person of its own, whose record has its name.
    keys = (place, *map(account_document_key, accounts), *map(person_document_key, accounts))
    above = heard_document_key(burst[0].message.conversation) if recalls_context(services, burst) else ""
    if above:
        keys = (*keys, above)
    found = {document.key: document for document in await services.journal.get_all(keys)}
    persons = {
        account: decode_person_id(found[account_document_key(account)], account) for account in accounts
    }
    linked = [key for person in persons.values() if (key := person_document_key(person)) not in found]
    if linked:
        found.update((document.key, document) for document in await services.journal.get_all(linked))

    def known(accepted: QueuedMessage) -> QueuedMessage:
        person = persons[account_key(accepted.message.sender)]
        chosen = decode_person(found[person_document_key(person)]).language
        message = services.with_language(accepted.message, chosen)
        return accepted if message is accepted.message else replace(accepted, message=message)

    first = persons[account_key(burst[0].message.sender)]
    seen = (decode_conversation(found[place]), found[place])
    heard = decode_heard(found[above]) if above else NOTHING_HEARD
    return TurnContext(tuple(map(known, burst)), seen, first, heard)


def conversation_after_turn(
    record: ConversationRecord,
    burst: Sequence[QueuedMessage],
    message: InboundMessage,
    turn: TurnRecord,
    now: float,
) -> ConversationRecord:
    """Return the conversation as a turn leaves it that was asked the burst, `message` for short."""
    if turn.again or turn.refused or turn.stage is TurnStage.SKIPPED or message.retries:
        said = record.said
    else:
        said = (*record.said, message.text[:_SAID])[-_SAID_MESSAGES:]
    title = turn.title or record.title or message.text[:80]
    asked, asked_before = _positions(record, burst, turn)
    return replace(
        record,
        question=record.question if turn.outcome is None else None,
        title=title,
        last_at=now,
        said=said,
        reminded=record.reminded if turn.answers or not turn.run_id else turn.reminded,
        last=asked_messages(burst) if turn.thread and not turn.answers else record.last,
        missed=record.still_offered(message),
        asked=asked,
        asked_before=asked_before,
        bots=count_bots(record, burst, turn, now),
        **authors_of(record, title, said, [accepted.message for accepted in burst]),
    )


def _positions(
    record: ConversationRecord, burst: Sequence[QueuedMessage], turn: TurnRecord
) -> tuple[MessagePosition, MessagePosition]:
    """Return the newest message of a group that the agent knows after a turn, and what it was before."""
    first = burst[0].message
    if first.private or first.resumes or first.follows or turn.answers or not turn.thread:
        return record.asked, record.asked_before
    known = MessagePosition(first.id, first.sent_at)
    newer = turn.run_id and known.at >= record.asked.at
    return (known if newer else record.asked), position_before(burst, record)
