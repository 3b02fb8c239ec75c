"""Sets a poison message aside, and tells its person."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.dead_letters import POISON_REASON, bury_items
from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.turn_queue import BusySignal, stop_run_item
from parley.core.model.codec import decode
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Claim, QueueItem
from parley.core.services import CoreServices
from parley.core.state.turn_record import TurnCheckpoint, TurnStage
from parley.core.texts import Sentence, say
from parley.core.turns.direct_reply import send_apology


async def bury_poison(services: CoreServices, claim: Claim) -> None:
    """Let the work at the head of a lane be a dead letter, with an apology where a person wrote it.

    Where to apologise ended the process, too, nobody is told. Raises LaneLost, StoreUnavailable.
    """
    items: Sequence[QueueItem] = claim.items[:1]
    if not services.quarantine.is_deadly(claim):
        message = _message(items[0])
        if message is not None:
            items = await _tell(services, claim, message)
    await bury_items(services.journal, claim, items, POISON_REASON.format(claim.crashes, claim.trials))


async def _tell(services: CoreServices, claim: Claim, message: InboundMessage) -> Sequence[QueueItem]:
    """Apologise; returns the items that go: those of the turn, where one had begun."""
    head = claim.items[0]
    turn = TurnCheckpoint(services.journal, claim, head)
    if turn.record.context:  # other people's words: a dead letter is kept for long
        await turn.write(context="")
    items = [item for item in claim.items if item.id in turn.record.items] or [head]
    if turn.record.run is not None and turn.record.stage is TurnStage.RUNNING:
        turn_id = services.conversations.turn_id(head.id)
        await services.journal.put(stop_run_item(message, turn.record.run, turn_id))
    known = await services.with_chosen_language(message)
    sentence = Sentence.POISON_ONE if len(items) == 1 else Sentence.POISON_MANY
    text = say(services.language(known), sentence, count=len(items), item=head.id)
    await send_apology(services, QueuedMessage(head, known), turn, text)
    return items


def _message(item: QueueItem) -> InboundMessage | None:
    """Return what a person wrote; None for work of our own."""
    match item.queue.partition("/")[0]:
        case "turns" | "commands":
            return decode(InboundMessage, item.body)
        case "knocks":
            knock = decode(BusySignal, item.body)
            return knock.message if knock.run is None else None
    return None
