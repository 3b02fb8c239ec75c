"""Waits until it is known which messages are the next turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from parley.core.inbound.batching import QueuedMessage, first_batch, in_written_order
from parley.core.inbound.busy_policy import answers_together
from parley.core.inbound.turn_queue import ConversationQueue, queue_of_items
from parley.core.ports.journal import Claim
from parley.core.ports.lease import uptime
from parley.core.services import CoreServices

# A burst that goes on and on is cut after this many windows.
_LONGEST_BURST = 5


async def collect_batch(services: CoreServices, claim: Claim) -> tuple[QueuedMessage, ...]:
    """The items noted before a crash, or else the burst once it has ended; nothing when all were cancelled.

    It waits for what other nodes have not stored yet: for a moment, longer after an outage of the store.

    Raises StoreUnavailable.
    """
    queue = queue_of_items(claim.items)
    if queue.items and queue.items[0].note:
        return queue_of_items([item for item in queue.items if item.id in queue.turn.items]).edited
    waiting = _ordered(services, queue)
    held = _held(services, waiting)
    if held or len(waiting) >= services.options.queue_limit:
        await asyncio.sleep(held)
        waiting = await _reread(services, claim)
    newest, seen, began = 0, 0.0, uptime()
    while waiting:
        window = services.channel_options(waiting[0].message).burst_window
        burst = first_batch(waiting, window, await _most_apart(services, waiting))
        now, here = services.clock(), uptime()
        if burst[-1].item.id != newest:
            newest, seen = burst[-1].item.id, here
        # The store's clock may be ahead of ours; it never takes longer than by our own.
        quiet_in = min(burst[-1].item.put_at + window - now, seen + window - here)
        too_long = max(now - burst[0].item.put_at, here - began) > _LONGEST_BURST * window
        if quiet_in <= 0 or too_long or len(burst) < len(waiting):
            return burst
        await asyncio.sleep(min(quiet_in, window))
        waiting = await _reread(services, claim)
    return ()


def _held(services: CoreServices, waiting: Sequence[QueuedMessage]) -> float:
    """Return the seconds for which messages that can be put in order are held."""
    if not waiting or not _is_timed(services, waiting):
        return 0.0
    waited = services.clock() - waiting[0].item.put_at
    crossing = services.bus.crossing()
    return max(min(crossing - waited, crossing), services.outage.settles_in, 0.0)


async def _most_apart(services: CoreServices, waiting: Sequence[QueuedMessage]) -> int:
    """Return how many messages may wait before the oldest of them are one turn."""
    if len(waiting) > 1:
        message = waiting[0].message
        options = services.channel_options(message)
        if answers_together(await services.bus.busy.get(options, message.conversation)):
            return 1
    return services.options.queue_limit


async def _reread(services: CoreServices, claim: Claim) -> tuple[QueuedMessage, ...]:
    return _ordered(services, queue_of_items(await services.journal.waiting(claim.queue, claim.lane)))


def _ordered(services: CoreServices, queue: ConversationQueue) -> tuple[QueuedMessage, ...]:
    waiting = queue.edited
    return in_written_order(waiting) if len(waiting) > 1 and _is_timed(services, waiting) else waiting


def _is_timed(services: CoreServices, waiting: Sequence[QueuedMessage]) -> bool:
    return services.channels[waiting[0].message.conversation.channel].capabilities.timed
