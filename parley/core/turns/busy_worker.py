"""One knock, from accepted to let in, refused, or made way for; it never waits for a run."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from parley.core.delivery.delivery import backoff
from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.busy_policy import is_edited, is_interrupted
from parley.core.inbound.turn_queue import BusySignal, load_queue, turn_item
from parley.core.inbound.withdrawal import is_recalled
from parley.core.model.address import Conversation
from parley.core.model.codec import decode
from parley.core.model.errors import AgentError, AgentRefused
from parley.core.model.types import InboundMessage, RunRef
from parley.core.ports.journal import Claim, NewQueueItem
from parley.core.services import CoreServices
from parley.core.state.turn_record import TurnCheckpoint, TurnStage
from parley.core.texts import Sentence, say
from parley.core.turns.direct_reply import finish_with_reply

log = logging.getLogger(__name__)

StopTurn: TypeAlias = Callable[[Conversation, int], Awaitable[bool]]
"""Ends the turn of a conversation that this item began, if it is running still."""


async def handle_busy_signal(services: CoreServices, claim: Claim, stop: StopTurn) -> None:
    """See to the lane's first knock. Raises LaneLost, StoreUnavailable."""
    item = claim.items[0]
    knock = decode(BusySignal, item.body)
    if knock.run is not None:
        await _stop_run(services, claim, knock.run, knock.turn)
    elif knock.recalled:
        queue = await load_queue(services.journal, knock.message.conversation)
        if is_recalled(knock, queue):
            await stop(knock.message.conversation, queue.items[0].id)
        await services.journal.done(claim, [item])
    elif knock.stops and knock.turn:
        await _end_turn(services, knock, stop)
        await services.journal.done(claim, [item])
    elif knock.stops:
        await _make_way(services, knock.message, stop)
        await services.journal.done(claim, [item])
    else:
        await _ask_to_be_let_in(services, claim, knock.message)


async def _ask_to_be_let_in(services: CoreServices, claim: Claim, message: InboundMessage) -> None:
    item, known = claim.items[0], await services.with_chosen_language(message)
    turn = TurnCheckpoint(services.journal, claim, item)
    if turn.record.stage is TurnStage.ACCEPTED:
        if not (await load_queue(services.journal, message.conversation)).running:
            await services.journal.done(claim, [item], puts=[_let_in(message)])
            return
        text = say(services.language(known), Sentence.BUSY_REJECTED)
        await turn.write(stage=TurnStage.ANSWERED, text=text)
    await finish_with_reply(services, claim, QueuedMessage(item, known), turn)


async def _make_way(services: CoreServices, message: InboundMessage, stop: StopTurn) -> None:
    """Stop the run that this waits behind. A turn that is yet to run looks for itself.

    The turn may end while it is looked at; what is running then answers this message, and goes on.
    """
    await services.journal.put(_let_in(message))
    queue = await load_queue(services.journal, message.conversation)
    if not queue.running:
        return
    if message.edits:
        record, _ = await services.conversations.read(message.conversation)
        stops = is_edited(queue.turn, queue, record.last)
    else:
        stops = is_interrupted(queue.turn, queue)
    if stops:
        await stop(message.conversation, queue.items[0].id)


async def _end_turn(services: CoreServices, knock: BusySignal, stop: StopTurn) -> None:
    """End the turn whose stop button was pressed, and none that came after it."""
    queue = await load_queue(services.journal, knock.message.conversation)
    if queue.items and services.conversations.turn_id(queue.items[0].id) == knock.turn:
        await stop(knock.message.conversation, queue.items[0].id)


async def _stop_run(services: CoreServices, claim: Claim, run: RunRef, turn: str) -> None:
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


def _let_in(message: InboundMessage) -> NewQueueItem:
    return turn_item(message, f"{message.conversation.channel}:{message.id}")
