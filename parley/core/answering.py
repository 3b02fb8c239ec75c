"""The answer to one message that no run is needed for, delivered once."""

from __future__ import annotations

from dataclasses import replace

from parley.core.bursts import Accepted
from parley.core.codec import encode
from parley.core.delivery import Delivery
from parley.core.errors import DeliveryRejected
from parley.core.letters import REFUSED, set_aside
from parley.core.ports import Claim
from parley.core.record import Stage, TurnLog
from parley.core.services import Services
from parley.core.types import OutboundMessage, ReplyTarget, StoredFile


async def deliver(services: Services, claim: Claim, accepted: Accepted, turn: TurnLog) -> None:
    """Say what the answered `turn` says, if anything, and finish its item.

    Raises LaneLost, StoreUnavailable.
    """
    refusal = await refused(services, accepted, turn) if turn.record.text else ""
    if refusal:
        await set_aside(services.journal, claim, [accepted.item], refusal)
        return
    done = replace(turn.record, stage=Stage.DELIVERED)
    await services.journal.done(claim, [accepted.item], note=encode(done))


async def refused(services: Services, accepted: Accepted, turn: TurnLog) -> str:
    """Say what the answered `turn` says; returns why the platform will never take it, or "" if it did."""
    return await _say(services, accepted, turn, turn.record.text, turn.record.files)


async def apologise(services: Services, accepted: Accepted, turn: TurnLog, text: str) -> None:
    """Say `text` in the place of what the turn would say; its record stays as it is."""
    await _say(services, accepted, turn, text)


async def _say(
    services: Services, accepted: Accepted, turn: TurnLog, text: str, files: tuple[StoredFile, ...] = ()
) -> str:
    message, turn_id = accepted.message, services.conversations.turn_id(accepted.item.id)
    target = ReplyTarget(
        turn_id, message.conversation, message.id, message.sender, message.private, turn.record.handle
    )
    reply = services.channels[message.conversation.channel].open_reply(target, turn.keep_handle)
    final = OutboundMessage(turn_id, message.conversation, message.id, text, final=True, attachments=files)
    try:
        receipt = await Delivery(reply, 0.0).finish(final)
    except DeliveryRejected as error:
        services.deliveries.refuse(final)
        return REFUSED.format(error)
    services.deliveries.arrive(final, receipt)
    return ""
