"""Answers that people may rate: which they are, noted before they are shown."""

from __future__ import annotations

from parley.core.model.address import account_key
from parley.core.model.feedback import RateableAnswer
from parley.core.model.types import InboundMessage, Outcome
from parley.core.services import CoreServices
from parley.core.state.feedback import note_answer
from parley.core.state.turn_record import TurnRecord


def is_rateable(services: CoreServices, message: InboundMessage, turn: TurnRecord) -> bool:
    """Return whether a turn's answer may be rated: an agent's own words, where the settings want it."""
    answered = turn.outcome is Outcome.ANSWERED and not turn.questions and not message.sender.bot
    return answered and services.channel_options(message).feedback


async def note_rateable(
    services: CoreServices, turn_id: str, message: InboundMessage, turn: TurnRecord
) -> bool:
    """Note which run a turn's answer is of, where it may be rated; returns whether.

    Raises StoreUnavailable.
    """
    if not is_rateable(services, message, turn):
        return False
    place, asker = message.conversation.key, account_key(message.sender)
    answer = RateableAnswer(turn.run_id, turn.thread, place, asker, services.clock())
    await note_answer(services.journal, turn_id, answer)
    return True
