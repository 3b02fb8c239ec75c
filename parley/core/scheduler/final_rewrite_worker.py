"""Writes answers once more whose turns were taken over."""

from __future__ import annotations

import logging
from dataclasses import replace

from parley.core.delivery.delivery import Delivery
from parley.core.delivery.final_rewrite import FinalRewrite
from parley.core.model.codec import decode
from parley.core.model.errors import DeliveryRejected
from parley.core.ports.channel import CURRENT_CHANNEL
from parley.core.ports.journal import Claim
from parley.core.ports.sending import Priority
from parley.core.services import CoreServices

log = logging.getLogger(__name__)


async def handle_final_rewrite(services: CoreServices, claim: Claim) -> None:
    """Write the lane's answer again. Raises LaneLost, StoreUnavailable."""
    item = claim.items[0]
    work = decode(FinalRewrite, item.body)
    channel = services.channels[work.message.conversation.channel]

    async def keep(handle: str) -> None:
        await services.journal.note(claim, item.id, handle)

    CURRENT_CHANNEL.set(channel.name)
    reply = channel.open_reply(replace(work.target, handle=item.note or work.target.handle), keep)
    delivery = Delivery(
        reply,
        0.0,
        services.turnstile,
        Priority.FINAL,
        services.wait_observer(channel.name),
        services.deliveries.count_cut,
    )
    try:
        await delivery.rewrite(work.message)
    except DeliveryRejected as error:
        log.info("turn %s: its answer cannot be written again: %s", work.message.turn_id, error)
    else:
        services.deliveries.count_rewritten(work.message)
    await services.journal.done(claim, [item])
