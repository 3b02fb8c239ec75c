"""What a turn has to do with memory: it is given some, and leaves some."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from parley.core.bursts import Accepted
from parley.core.conversations import ConversationRecord, session_for
from parley.core.errors import MemoryFailed
from parley.core.record import TurnRecord
from parley.core.remembering import Occasion
from parley.core.services import Services
from parley.core.types import InboundMessage, Outcome, Session, Turn

log = logging.getLogger(__name__)


def session_of(services: Services, message: InboundMessage, record: ConversationRecord) -> Session:
    """How runs are made for whoever wrote the message."""
    options = services.channel_options(message)
    return session_for(options.user_sessions.get(message.sender.id, options.session), record)


def of_one_person(burst: Sequence[Accepted]) -> bool:
    """Whether one person wrote all of it: what several said together is nobody's to remember."""
    return len({accepted.message.sender.id for accepted in burst}) == 1


async def recall(
    services: Services, person: str, message: InboundMessage, conversation: ConversationRecord, thread: str
) -> str:
    """The block of what is known about the sender, for this message's run. Raises StoreUnavailable.

    `person` is who the sender is.
    """
    if not services.memory.enabled:
        return ""
    occasion = Occasion(
        person=person,
        assistant=session_of(services, message, conversation).assistant,
        thread=thread,
        messages=(*conversation.said, message.text),
        private=message.private,
    )
    return await services.memory.recall(occasion)


async def remember(
    services: Services,
    person: str,
    message: InboundMessage,
    conversation: ConversationRecord,
    turn_id: str,
    record: TurnRecord,
) -> None:
    """Hand a turn to memory, once the agent answered or asked back; its failures are its own.

    Raises StoreUnavailable.
    """
    if record.outcome not in (Outcome.ANSWERED, Outcome.ASKED) or not services.memory.enabled:
        return
    turn = Turn(
        id=turn_id,
        person=person,
        speaker=message.sender,
        conversation=message.conversation,
        thread=record.thread,
        assistant=session_of(services, message, conversation).assistant,
        language=message.sender.language,
        user_text=message.text,
        reply_text=record.reply or record.text,
        at=message.sent_at,
        private=message.private,
    )
    try:
        await services.memory.record(turn)
    except MemoryFailed as error:
        log.warning("turn %s is not remembered: %s", turn_id, error)
