"""One knock, from accepted to let in, refused, or made way for; it never waits for a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bridge.answering import deliver
from bridge.bursts import Accepted
from bridge.busy import Knock, for_agent, running, waiting_for, waits_behind
from bridge.codec import decode
from bridge.ports import Claim, Put
from bridge.record import Stage, TurnLog
from bridge.services import Services
from bridge.texts import Sentence, say
from bridge.types import Conversation, InboundMessage


async def work_knock(
    services: Services, claim: Claim, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """See to the lane's first knock. Raises LaneLost, StoreUnavailable."""
    item = claim.items[0]
    knock = decode(Knock, item.body)
    if knock.stops:
        await _make_way(services, knock.message.conversation, stop)
        await services.journal.done(claim, [item])
        return
    message = await services.known(knock.message)
    turn = TurnLog(services.journal, claim, item)
    if turn.record.stage is Stage.ACCEPTED:
        if not await _is_busy(services, message.conversation):
            await services.journal.done(claim, [item], puts=[_let_in(knock.message)])
            return
        text = say(services.language(message), Sentence.BUSY_REJECTED)
        await turn.write(stage=Stage.ANSWERED, text=text)
    await deliver(services, claim, Accepted(item, message), turn)


async def _make_way(
    services: Services, conversation: Conversation, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """Stop the run that something waits behind. A turn that is yet to run looks for itself."""
    waiting = await waiting_for(services.journal, conversation)
    turn = running(waiting)
    if turn is not None and waits_behind(turn, waiting):
        await stop(conversation)


async def _is_busy(services: Services, conversation: Conversation) -> bool:
    return running(await waiting_for(services.journal, conversation)) is not None


def _let_in(message: InboundMessage) -> Put:
    return for_agent(message, f"{message.conversation.channel}:{message.id}")
