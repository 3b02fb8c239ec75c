"""The answer to one message that no run is needed for, delivered once."""

from __future__ import annotations

from dataclasses import replace

from parley.core.dead_letters import REFUSED_REASON, bury_items
from parley.core.delivery.delivery import Delivery
from parley.core.inbound.batching import QueuedMessage
from parley.core.model.attachments import StoredFile
from parley.core.model.codec import encode
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import OutboundMessage
from parley.core.ports.journal import Claim
from parley.core.services import CoreServices
from parley.core.state.turn_record import TurnCheckpoint, TurnStage


async def finish_with_reply(
    services: CoreServices, claim: Claim, accepted: QueuedMessage, turn: TurnCheckpoint
) -> None:
    """Say what the answered `turn` says, if anything, and finish its item.

    Raises LaneLost, StoreUnavailable.
    """
    refusal = await send_reply(services, accepted, turn) if turn.record.text else ""
    if refusal:
        await bury_items(services.journal, claim, [accepted.item], refusal)
        return
    done = replace(turn.record, stage=TurnStage.DELIVERED)
    await services.journal.done(claim, [accepted.item], note=encode(done))


async def send_reply(services: CoreServices, accepted: QueuedMessage, turn: TurnCheckpoint) -> str:
    """Say what the answered `turn` says; returns why the platform will never take it, or "" if it did."""
    return await _say(services, accepted, turn, turn.record.text, turn.record.files)


async def send_apology(
    services: CoreServices, accepted: QueuedMessage, turn: TurnCheckpoint, text: str
) -> None:
    """Say `text` in the place of what the turn would say; its record stays as it is."""
    await _say(services, accepted, turn, text)


async def _say(
    services: CoreServices,
    accepted: QueuedMessage,
    turn: TurnCheckpoint,
    text: str,
    files: tuple[StoredFile, ...] = (),
) -> str:
    message, turn_id = accepted.message, services.conversations.turn_id(accepted.item.id)
    channel = services.channels[message.conversation.channel]
    reply, waited = turn.open_reply(channel, turn_id, message), services.wait_observer(channel.name)
    final = OutboundMessage(
        turn_id, message.conversation, message.reply_to, text, final=True, attachments=files
    )
    try:
        receipt = await Delivery(reply, 0.0, waited=waited, cut=services.deliveries.count_cut).finish(final)
    except DeliveryRejected as error:
        services.deliveries.count_rejected(final)
        return REFUSED_REASON.format(error)
    services.deliveries.count_delivered(final, receipt)
    return ""
