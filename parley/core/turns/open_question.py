"""A turn in a conversation that waits for a decision."""

from __future__ import annotations

from collections.abc import Callable

from parley.core.hitl.text_replies import take_text_reply
from parley.core.model.types import InboundMessage, Outcome
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord
from parley.core.state.turn_record import TurnCheckpoint, TurnStage


async def may_run(
    services: CoreServices,
    message: InboundMessage,
    record: ConversationRecord,
    turn: TurnCheckpoint,
    shown: Callable[[str], str],
) -> bool:
    """Whether there is something to run: a message to a conversation that waits for a decision may only be
    that, and is told what it did, as `shown` shows a text. Raises LaneLost, StoreUnavailable.
    """
    pending = record.question
    if turn.record.run_id or turn.record.answers:
        return True
    if message.resumes and (pending is None or pending.turn != message.resumes):
        await turn.write(stage=TurnStage.SKIPPED)
        return False
    if pending is None:
        return True
    taken = await take_text_reply(services, pending, message)
    if taken.text:
        outcome = Outcome.CANCELLED if taken.over else None
        text = shown(taken.text)
        await turn.write(stage=TurnStage.ANSWERED, text=text, outcome=outcome, again=taken.again)
        return False
    turn.change(answers=taken.given, again=taken.again)
    return True
