"""One conversation's missed messages: an apology for all of them, and the offer to answer them after all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.dead_letters import bury_items
from parley.core.inbound.access import AccessVerdict
from parley.core.inbound.batching import QueuedMessage, batch_items
from parley.core.model.codec import encode
from parley.core.model.errors import DocumentConflict
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Claim, QueueItem
from parley.core.services import CoreServices
from parley.core.state.conversations import MissedMessages, conversation_document
from parley.core.state.turn_record import TurnCheckpoint, TurnRecord, TurnStage
from parley.core.texts import Sentence, say
from parley.core.turns.direct_reply import send_reply
from parley.core.turns.retries import asked_messages


async def handle_missed(services: CoreServices, claim: Claim, missed: Sequence[QueuedMessage]) -> None:
    """See the apology through to its delivery. Raises LaneLost, StoreUnavailable."""
    allowed = [each for each in missed if services.access_verdict(each.message) is AccessVerdict.ALLOW]
    turn = TurnCheckpoint(services.journal, claim, missed[0].item)
    last = await services.with_chosen_language(allowed[-1].message)
    if turn.record.stage is TurnStage.ACCEPTED:
        sentence = Sentence.MISSED_ONE if len(allowed) == 1 else Sentence.MISSED_MANY
        text = say(services.language(last), sentence, count=len(allowed))
        items = tuple(item.id for item in batch_items(missed))
        await turn.write(
            stage=TurnStage.ANSWERED, items=items, text=text, missed=True, began=services.clock()
        )
    refusal = await send_reply(services, QueuedMessage(missed[0].item, last), turn)
    if refusal:
        await bury_items(services.journal, claim, batch_items(missed), refusal)
        return
    turn.change(stage=TurnStage.DELIVERED)
    await _offer(services, claim, batch_items(missed), turn.record, asked_messages(allowed))


async def _offer(
    services: CoreServices,
    claim: Claim,
    items: Sequence[QueueItem],
    turn: TurnRecord,
    asked: tuple[InboundMessage, ...],
) -> None:
    """Finish the items, and let the conversation know what /retry is to answer."""
    while True:
        record, document = await services.conversations.read(asked[0].conversation)
        offered = conversation_document(document, replace(record, missed=MissedMessages(asked, turn.began)))
        try:
            await services.journal.done(claim, items, note=encode(turn), documents=[offered])
        except DocumentConflict:
            continue
        return
