"""Buttons under answers: whether people may rate them, and what they suggest, noted before it is shown."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.address import account_key
from parley.core.model.feedback import AnswerWithButtons
from parley.core.model.types import InboundMessage, OutboundMessage, Outcome
from parley.core.services import CoreServices
from parley.core.state.feedback import note_answer
from parley.core.state.turn_record import TurnRecord


def is_rateable(services: CoreServices, message: InboundMessage, turn: TurnRecord) -> bool:
    """Return whether a turn's answer may be rated: an agent's own words, where the settings want it."""
    return _is_answer(message, turn) and services.channel_options(message).feedback


async def add_buttons(
    services: CoreServices, final: OutboundMessage, message: InboundMessage, turn: TurnRecord
) -> OutboundMessage:
    """Return the answer to a message with what people may press below it, once that is noted.

    Raises StoreUnavailable.
    """
    rateable = is_rateable(services, message, turn)
    suggestions = turn.suggestions if _is_answer(message, turn) else ()
    if not rateable and not suggestions:
        return final
    answer = AnswerWithButtons(
        turn.run_id,
        turn.thread,
        message.conversation.key,
        account_key(message.sender),
        services.clock(),
        message.reply_to,
        suggestions,
        rateable,
    )
    await note_answer(services.journal, final.turn_id, answer)
    return replace(final, rateable=rateable, suggestions=suggestions)


def _is_answer(message: InboundMessage, turn: TurnRecord) -> bool:
    return turn.outcome is Outcome.ANSWERED and not turn.questions and not message.sender.bot
