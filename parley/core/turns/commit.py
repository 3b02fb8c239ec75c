"""The end of a turn: its items, its record, its conversation and its questions change in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.dead_letters import BROKEN_REASON, REFUSED_REASON, bury_items
from parley.core.hitl import audit
from parley.core.inbound.batching import QueuedMessage, batch_items
from parley.core.inbound.turn_queue import turn_item
from parley.core.limits.enforcement import usage_increments
from parley.core.model.codec import encode
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Claim, Document, NewQueueItem
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord, conversation_document
from parley.core.state.turn_record import TurnRecord, TurnStage
from parley.core.turns.turn import TurnExecution


async def commit_turn(
    services: CoreServices,
    claim: Claim,
    burst: Sequence[QueuedMessage],
    turn: TurnRecord,
    work: TurnExecution,
) -> None:
    """Hand the turn to memory, finish the burst's items, open the turn's questions, and free the lane.

    A conversation begun anew meanwhile is left as it is. Raises LaneLost, StoreUnavailable.
    """
    items, tallies = batch_items(burst), usage_increments(services, burst[0].message, turn)
    conversation, past = burst[0].message.conversation, await work.remember()
    if turn.stage is TurnStage.REJECTED or turn.broken:
        reason = BROKEN_REASON if turn.broken else REFUSED_REASON.format(turn.refusal)
        if tallies:
            await services.journal.tally(tallies, once=f"spent/{items[0].id}")
        await bury_items(services.journal, claim, items, reason)
        return
    seen, entry = work.seen, _entry(services, burst, turn)
    while True:
        # Nearly always the conversation still is as the turn read it, and then it is not read again.
        record, document = seen
        documents, puts = [*entry, *past], [*_again(burst, turn), *work.rewrites]
        if turn.thread in ("", services.conversations.thread_id(conversation, record)):
            record, opened = _with_questions(work, work.updated_conversation(record))
            documents += [conversation_document(document, record), *opened[0]]
            puts += opened[1]
        try:
            await services.journal.done(
                claim, items, note=encode(turn), documents=documents, puts=puts, tallies=tallies
            )
        except DocumentConflict:
            seen, past = await services.conversations.read(conversation), await work.remember()
            continue
        return


def _with_questions(
    work: TurnExecution, record: ConversationRecord
) -> tuple[ConversationRecord, tuple[Sequence[Document], Sequence[NewQueueItem]]]:
    opening = work.opening()
    if opening is None:
        return record, ((), ())
    asked = record if opening.pending is None else replace(record, question=opening.pending)
    return asked, (opening.documents, opening.puts)


def _entry(services: CoreServices, burst: Sequence[QueuedMessage], turn: TurnRecord) -> tuple[Document, ...]:
    """For the record: how a run ended that decisions let go on."""
    if not turn.answers or turn.outcome is None:
        return ()
    turn_id = services.conversations.turn_id(burst[0].item.id)
    conversation = burst[0].message.conversation.key
    return (audit.ended_document(turn_id, conversation, turn.outcome, services.clock()),)


def _again(burst: Sequence[QueuedMessage], turn: TurnRecord) -> tuple[NewQueueItem, ...]:
    """Return the messages that the turn went on without, to be worked after it."""
    if not turn.again:
        return ()
    channel = burst[0].message.conversation.channel
    return tuple(turn_item(each.message, f"again:{channel}:{each.message.id}") for each in burst)
