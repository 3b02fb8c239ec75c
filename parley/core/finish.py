"""The end of a turn: its items, its record, its conversation and its questions change in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core import audit
from parley.core.bursts import Accepted, items_of
from parley.core.busy import for_agent
from parley.core.codec import encode
from parley.core.conversations import ConversationRecord, written
from parley.core.errors import DocumentConflict
from parley.core.letters import BROKE, REFUSED, set_aside
from parley.core.ports import Claim, Document, Put
from parley.core.record import Stage, TurnRecord
from parley.core.services import Services
from parley.core.turn import TurnWork
from parley.core.usage_gate import spent_by


async def finish(
    services: Services, claim: Claim, burst: Sequence[Accepted], turn: TurnRecord, work: TurnWork
) -> None:
    """Finish the burst's items, open the turn's questions, and free the lane.

    A conversation begun anew meanwhile is left as it is. Raises LaneLost, StoreUnavailable.
    """
    items, tallies = items_of(burst), spent_by(services, burst[0].message, turn)
    conversation = burst[0].message.conversation
    if turn.stage is Stage.REJECTED or turn.broken:
        reason = BROKE if turn.broken else REFUSED.format(turn.refusal)
        if tallies:
            await services.journal.tally(tallies, once=f"spent/{items[0].id}")
        await set_aside(services.journal, claim, items, reason)
        return
    seen, entry = work.seen, _entry(services, burst, turn)
    while True:
        # Nearly always the conversation still is as the turn read it, and then it is not read again.
        record, document = seen
        documents, puts = list(entry), list(_again(burst, turn))
        if turn.thread in ("", services.conversations.thread_id(conversation, record)):
            record, opened = _with_questions(work, work.settle(record))
            documents += [written(document, record), *opened[0]]
            puts += opened[1]
        try:
            await services.journal.done(
                claim, items, note=encode(turn), documents=documents, puts=puts, tallies=tallies
            )
        except DocumentConflict:
            seen = await services.conversations.read(conversation)
            continue
        return


def _with_questions(
    work: TurnWork, record: ConversationRecord
) -> tuple[ConversationRecord, tuple[Sequence[Document], Sequence[Put]]]:
    opening = work.opening()
    if opening is None:
        return record, ((), ())
    return replace(record, question=opening.pending), (opening.documents, opening.puts)


def _entry(services: Services, burst: Sequence[Accepted], turn: TurnRecord) -> tuple[Document, ...]:
    """For the record: how a run ended that decisions let go on."""
    if not turn.answers or turn.outcome is None:
        return ()
    turn_id = services.conversations.turn_id(burst[0].item.id)
    conversation = burst[0].message.conversation.key
    return (audit.ended(turn_id, conversation, turn.outcome, services.clock()),)


def _again(burst: Sequence[Accepted], turn: TurnRecord) -> tuple[Put, ...]:
    """The messages that the turn went on without, to be worked after it."""
    if not turn.again:
        return ()
    channel = burst[0].message.conversation.channel
    return tuple(for_agent(each.message, f"again:{channel}:{each.message.id}") for each in burst)
