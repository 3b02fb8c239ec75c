"""Edits of messages that the agent was asked already: the last turn runs again with the new words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.hitl.lifecycle import drop_questions
from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.edits import apply_edits, expand_edit
from parley.core.model.types import InboundMessage
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord


async def resolve_edit(services: CoreServices, burst: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
    """The burst, spelled out; its conversation then waits for no decision that the last turn asked for.

    An edit of messages that were missed, and offered to be answered after all, changes the offer.
    Raises StoreUnavailable.
    """
    lead = burst[0]
    if not lead.message.edits:
        return tuple(burst)
    conversation = lead.message.conversation
    record, _ = await services.conversations.read(conversation)
    found = expand_edit(record.last, burst)
    if lead.item.note:
        # Its reply has begun: it is brought to its end even where the conversation began anew meanwhile.
        own = replace(lead.message, id=lead.message.edits, edits="", retries=lead.message.id)
        return found or (QueuedMessage(lead.item, own, lead.edits),)
    if found and record.question is not None:
        await drop_questions(services.journal, record.question.turn)
        await services.conversations.change(conversation, lambda record: replace(record, question=None))
    elif record.missed is not None:
        await services.conversations.change(conversation, lambda record: _offered(record, lead.message))
    return found


def _offered(record: ConversationRecord, edit: InboundMessage) -> ConversationRecord:
    missed = record.missed
    if missed is None:
        return record
    return replace(record, missed=replace(missed, messages=apply_edits(missed.messages, [edit])))
