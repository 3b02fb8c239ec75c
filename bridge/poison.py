"""Sets a poison message aside, and tells its person."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.answering import apologise
from bridge.bursts import Accepted
from bridge.busy import Knock, still_to_stop
from bridge.codec import decode
from bridge.journal import Claim, Item
from bridge.letters import POISON, set_aside
from bridge.record import Stage, TurnLog
from bridge.services import Services
from bridge.texts import Sentence, say
from bridge.types import InboundMessage


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
