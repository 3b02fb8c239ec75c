"""Turns that bots cause: few at a time, and none that takes a decision from people."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from parley.core.inbound.batching import QueuedMessage
from parley.core.limits.rules import bot_counter, hour_window
from parley.core.model.address import Conversation
from parley.core.model.bots import BotTurns
from parley.core.model.usage import Usage
from parley.core.ports.journal import CounterIncrement
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord
from parley.core.state.turn_record import TurnCheckpoint, TurnRecord, TurnStage

log = logging.getLogger(__name__)


def is_from_bots(burst: Sequence[QueuedMessage]) -> bool:
    """Return whether no person has a part in a turn."""
    return all(accepted.message.sender.bot for accepted in burst)


async def skip_bots(
    services: CoreServices,
    burst: Sequence[QueuedMessage],
    record: ConversationRecord,
    turn: TurnCheckpoint,
) -> bool:
    """Whether a turn of bots ends before its run: there are too many, or people are asked something.

    So two bots that answer each other stop, in new threads, too, and no bot decides what an agent asks.
    Raises LaneLost, StoreUnavailable.
    """
    message = burst[0].message
    if not is_from_bots(burst) or message.resumes or turn.record.stage is not TurnStage.ACCEPTED:
        return False
    if record.question is None and await _may_be_answered(services, burst[0], record):
        return False
    why = "a question is open" if record.question else "no more turns of bots for now (docs/bots.md)"
    if not record.bots.told:
        log.warning("%s: the bot %s is not answered: %s", message.conversation.key, message.sender.id, why)
    await turn.write(stage=TurnStage.SKIPPED)
    return True


async def _may_be_answered(services: CoreServices, first: QueuedMessage, record: ConversationRecord) -> bool:
    """Whether the limits leave room in the conversation and in its chat, where the turn is counted then."""
    place, now = first.message.conversation, services.clock()
    limits = services.channel_options(first.message).bot_limits
    if not record.bots.allows(limits, now):
        return False
    hour, chat = hour_window(now), Conversation(place.channel, place.chat).key
    one = CounterIncrement(bot_counter(chat) + hour.name, hour.ends, Usage(turns=1), limits.per_hour)
    return await services.journal.tally([one], once=f"bots/{services.conversations.turn_id(first.item.id)}")


def count_bots(
    record: ConversationRecord, burst: Sequence[QueuedMessage], turn: TurnRecord, now: float
) -> BotTurns:
    """Return the turns of bots after this one, which may be a person's."""
    if burst[0].message.resumes:
        return record.bots
    if turn.stage is TurnStage.SKIPPED:
        return replace(record.bots, told=record.bots.told or is_from_bots(burst))
    return record.bots.counted(now) if is_from_bots(burst) else record.bots.interrupted()
