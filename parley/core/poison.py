"""Sets a poison message aside, and tells its person."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.answering import apologise
from parley.core.bursts import Accepted
from parley.core.busy import Knock, still_to_stop
from parley.core.codec import decode
from parley.core.journal import Claim, Item
from parley.core.letters import POISON, set_aside
from parley.core.record import Stage, TurnLog
from parley.core.services import Services
from parley.core.texts import Sentence, say
from parley.core.types import InboundMessage


async def give_up(services: Services, claim: Claim) -> None:
    """Let the work at the head of a lane be a dead letter, with an apology where a person wrote it.

    Where to apologise ended the process, too, nobody is told. Raises LaneLost, StoreUnavailable.
    """
    items: Sequence[Item] = claim.items[:1]
    if not services.quarantine.is_deadly(claim):
        message = _message(items[0])
        if message is not None:
            items = await _tell(services, claim, message)
    await set_aside(services.journal, claim, items, POISON.format(claim.crashes, claim.trials))


async def _tell(services: Services, claim: Claim, message: InboundMessage) -> Sequence[Item]:
    """Apologise; returns the items that go: those of the turn, where one had begun."""
    head = claim.items[0]
    turn = TurnLog(services.journal, claim, head)
    items = [item for item in claim.items if item.id in turn.record.items] or [head]
    if turn.record.run is not None and turn.record.stage is Stage.RUNNING:
        turn_id = services.conversations.turn_id(head.id)
        await services.journal.put(still_to_stop(message, turn.record.run, turn_id))
    known = await services.known(message)
    sentence = Sentence.POISON_ONE if len(items) == 1 else Sentence.POISON_MANY
    text = say(services.language(known), sentence, count=len(items), item=head.id)
    await apologise(services, Accepted(head, known), turn, text)
    return items


def _message(item: Item) -> InboundMessage | None:
    """What a person wrote; None for work of our own."""
    match item.queue.partition("/")[0]:
        case "turns" | "commands":
            return decode(InboundMessage, item.body)
        case "knocks":
            knock = decode(Knock, item.body)
            return knock.message if knock.run is None else None
    return None
