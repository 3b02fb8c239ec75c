"""One knock, from accepted to let in, refused, or made way for; it never waits for a run."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from parley.core.answering import deliver
from parley.core.bursts import Accepted
from parley.core.busy import Knock, edited, for_agent, interrupted, running, waiting_for
from parley.core.codec import decode
from parley.core.delivery import backoff
from parley.core.errors import AgentError, AgentRefused
from parley.core.ports import Claim, Put
from parley.core.record import Stage, TurnLog
from parley.core.services import Services
from parley.core.texts import Sentence, say
from parley.core.types import Conversation, InboundMessage, RunRef

log = logging.getLogger(__name__)


async def work_knock(
    services: Services, claim: Claim, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """See to the lane's first knock. Raises LaneLost, StoreUnavailable."""
    item = claim.items[0]
    knock = decode(Knock, item.body)
    if knock.run is not None:
        await _stop_run(services, claim, knock.run, knock.turn)
    elif knock.stops:
        await _make_way(services, knock.message, stop)
        await services.journal.done(claim, [item])
    else:
        await _ask_to_be_let_in(services, claim, knock.message)


async def _ask_to_be_let_in(services: Services, claim: Claim, message: InboundMessage) -> None:
    item, known = claim.items[0], await services.known(message)
    turn = TurnLog(services.journal, claim, item)
    if turn.record.stage is Stage.ACCEPTED:
        if not await _is_busy(services, message.conversation):
            await services.journal.done(claim, [item], puts=[_let_in(message)])
            return
        text = say(services.language(known), Sentence.BUSY_REJECTED)
        await turn.write(stage=Stage.ANSWERED, text=text)
    await deliver(services, claim, Accepted(item, known), turn)


async def _make_way(
    services: Services, message: InboundMessage, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """Stop the run that this waits behind. A turn that is yet to run looks for itself."""
    await services.journal.put(_let_in(message))
    waiting = await waiting_for(services.journal, message.conversation)
    turn = running(waiting)
    if turn is None:
        return
    if message.edits:
        record, _ = await services.conversations.read(message.conversation)
        stops = edited(turn, waiting, record.last)
    else:
        stops = interrupted(turn, waiting)
    if stops:
        await stop(message.conversation)


async def _stop_run(services: Services, claim: Claim, run: RunRef, turn: str) -> None:
    """Try until the server has stopped it, or as long as any run is tried for."""
    item = claim.items[0]
    try:
        await services.agent.cancel(run, turn)
    except AgentError as error:
        given_up = services.clock() - item.put_at > services.options.give_up_after
        if not given_up and not isinstance(error, AgentRefused):
            await services.journal.retry(claim, backoff(item.attempts))
            return
        log.error("the run of turn %s could not be stopped: %s", turn, error)
    await services.journal.done(claim, [item])


async def _is_busy(services: Services, conversation: Conversation) -> bool:
    return running(await waiting_for(services.journal, conversation)) is not None


def _let_in(message: InboundMessage) -> Put:
    return for_agent(message, f"{message.conversation.channel}:{message.id}")
