"""One conversation's missed messages: an apology for all of them, and the offer to answer them after all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parley.core.access import Verdict
from parley.core.answering import refused
from parley.core.bursts import Accepted, items_of
from parley.core.codec import encode
from parley.core.conversations import Missed, written
from parley.core.errors import DocumentConflict
from parley.core.letters import set_aside
from parley.core.ports import Claim, Item
from parley.core.record import Stage, TurnLog, TurnRecord
from parley.core.retrying import asked_by
from parley.core.services import Services
from parley.core.texts import Sentence, say
from parley.core.types import InboundMessage


async def work_missed(services: Services, claim: Claim, missed: Sequence[Accepted]) -> None:
    """See the apology through to its delivery. Raises LaneLost, StoreUnavailable."""
    allowed = [each for each in missed if services.verdict(each.message) is Verdict.ALLOW]
    turn = TurnLog(services.journal, claim, missed[0].item)
    last = await services.known(allowed[-1].message)
    if turn.record.stage is Stage.ACCEPTED:
        sentence = Sentence.MISSED_ONE if len(allowed) == 1 else Sentence.MISSED_MANY
        text = say(services.language(last), sentence, count=len(allowed))
        items = tuple(item.id for item in items_of(missed))
        await turn.write(stage=Stage.ANSWERED, items=items, text=text, missed=True, began=services.clock())
    refusal = await refused(services, Accepted(missed[0].item, last), turn)
    if refusal:
        await set_aside(services.journal, claim, items_of(missed), refusal)
        return
    turn.change(stage=Stage.DELIVERED)
    await _offer(services, claim, items_of(missed), turn.record, asked_by(allowed))


async def _offer(
    services: Services,
    claim: Claim,
    items: Sequence[Item],
    turn: TurnRecord,
    asked: tuple[InboundMessage, ...],
) -> None:
    """Finish the items, and let the conversation know what /retry is to answer."""
    while True:
        record, document = await services.conversations.read(asked[0].conversation)
        offered = written(document, replace(record, missed=Missed(asked, turn.began)))
        try:
            await services.journal.done(claim, items, note=encode(turn), documents=[offered])
        except DocumentConflict:
            continue
        return
