"""What a turn has to do with memory: it is given some, leaves some, and tells what memory has to say."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from parley.core.hitl.forget_offers import MOST_OFFERS, forget_question
from parley.core.inbound.batching import QueuedMessage
from parley.core.limits.enforcement import limit_warnings
from parley.core.model.errors import MemoryFailed
from parley.core.model.questions import Question
from parley.core.model.types import CompletedTurn, InboundMessage, Outcome, RunEnded, SessionSettings
from parley.core.ports.journal import Document
from parley.core.ports.memory.port import MOST_INSTRUCTIONS, RecallQuery
from parley.core.ports.memory.tools import ToolChange, ToolChangeKind
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord, with_chosen_session
from parley.core.state.team_chats import team_of
from parley.core.state.turn_record import TurnRecord
from parley.core.texts import MemorySentence, Sentence, say
from parley.core.turns.turn_context import TurnContext

log = logging.getLogger(__name__)

_REMEMBERED = (Outcome.ANSWERED, Outcome.ASKED)
_TOOL_NOTES = {
    ToolChangeKind.SAVED: Sentence.MEMORY_TOOL_SAVED,
    ToolChangeKind.CORRECTED: Sentence.MEMORY_TOOL_CORRECTED,
    ToolChangeKind.ASKED: Sentence.MEMORY_TOOL_ASKED,
}


def session_for_message(
    services: CoreServices, message: InboundMessage, record: ConversationRecord
) -> SessionSettings:
    """Return how runs are made for whoever wrote the message."""
    options = services.channel_options(message)
    return with_chosen_session(options, message.sender, record)


def is_from_one_person(burst: Sequence[QueuedMessage]) -> bool:
    """Return whether one person wrote all of it: what several said together, or a bot, nobody remembers."""
    return (
        not any(accepted.message.sender.bot for accepted in burst)
        and len({accepted.message.sender.id for accepted in burst}) == 1
    )


async def recall_all(
    services: CoreServices,
    person: str,
    burst: Sequence[QueuedMessage],
    message: InboundMessage,
    conversation: ConversationRecord,
    thread: str,
) -> str:
    """Return what is known of the sender, where one person wrote the burst, and what the chat remembers.

    Raises StoreUnavailable.
    """
    known = await recall_team(services, message, conversation.said)
    if not is_from_one_person(burst):
        return known
    own = await recall_memory(services, person, message, conversation, thread)
    return "\n".join(filter(None, (own, known)))


async def recall_memory(
    services: CoreServices,
    person: str,
    message: InboundMessage,
    conversation: ConversationRecord,
    thread: str,
) -> str:
    """Return the block of what is known about the sender, for this message's run. Raises StoreUnavailable.

    `person` is who the sender is.
    """
    if not services.memory.enabled:
        return ""
    occasion = RecallQuery(
        person=person,
        assistant=session_for_message(services, message, conversation).assistant,
        thread=thread,
        messages=(*conversation.said, message.text),
        private=message.private,
    )
    return await services.memory.recall(occasion)


async def recall_team(services: CoreServices, message: InboundMessage, said: Sequence[str]) -> str:
    """Return the block of what the chat itself remembers, where that is on. Raises StoreUnavailable.

    `said` are the latest messages there before this one.
    """
    team = team_of(message.conversation)
    if message.private or not services.memory.enabled or not await services.team_chats.is_on(team):
        return ""
    return await services.memory_controls.recall_team(team, (*said, message.text))


async def remember_turn(
    services: CoreServices,
    beginning: TurnContext,
    message: InboundMessage,
    turn_id: str,
    record: TurnRecord,
) -> tuple[Document, ...]:
    """Hand a turn to memory, once the agent answered or asked back; its failures are its own.

    `message` is all of what the turn was asked. Return what keeps the turn among past conversations, to be
    written with its end. Raises StoreUnavailable.
    """
    if record.outcome not in _REMEMBERED or not services.memory.enabled:
        return ()
    person, conversation = beginning.person, beginning.seen[0]
    turn = CompletedTurn(
        id=turn_id,
        person=person,
        speaker=message.sender,
        conversation=message.conversation,
        thread=record.thread,
        assistant=session_for_message(services, message, conversation).assistant,
        language=message.sender.language,
        user_text=message.text,
        reply_text=(record.reply or record.text)[record.preamble :],
        # As old as its oldest words: nothing that was said before a clear is kept with what came after.
        at=min(accepted.said_at for accepted in beginning.burst),
        private=message.private,
        link=message.link,
    )
    try:
        await services.memory.record(turn)
        return await services.past_turns.documents_of(turn)
    except MemoryFailed as error:
        log.warning("turn %s is not remembered: %s", turn_id, error)
        return ()


async def notes_below_answer(
    services: CoreServices, person: str, message: InboundMessage, turn: TurnRecord, ended: RunEnded
) -> tuple[tuple[str, ...], tuple[Question, ...]]:
    """Return the sentences that end the answer to a message, and what is asked below it.

    Raises StoreUnavailable.
    """
    warnings = await limit_warnings(services, message, turn, ended.usage)
    if ended.outcome not in _REMEMBERED or not services.memory.enabled:
        return warnings, ()
    changes = await _tool_changes(services, person, turn)
    language, offered = services.language(message), list[ToolChange]()
    if services.channels[message.conversation.channel].capabilities.buttons:
        offered += [change for change in changes if change.kind is ToolChangeKind.ASKED][:MOST_OFFERS]
    told = (
        say(language, _TOOL_NOTES[change.kind], content=change.content, id=change.fact)
        for change in changes
        if change not in offered
    )
    offers = tuple(forget_question(language, change) for change in offered)
    return (*warnings, *await _memory_notes(services, person, message), *told), offers


async def _tool_changes(services: CoreServices, person: str, turn: TurnRecord) -> Sequence[ToolChange]:
    """Return what the agent's tools did to the person's memory, and what it asks them to forget."""
    if not turn.items:
        return ()
    turn_id = services.conversations.turn_id(turn.items[0])
    try:
        return await services.memory_tools.take_changes(person, turn_id)
    except MemoryFailed as error:
        log.warning("turn %s: what its tools changed is not told: %s", turn_id, error)
        return ()


async def _memory_notes(services: CoreServices, person: str, message: InboundMessage) -> tuple[str, ...]:
    noted = await services.memory.notices(person, message.text, private=message.private)
    language, told = services.language(message), list[str]()
    if noted.first:
        told.append(say(language, MemorySentence.INFORMED))
    if noted.damaged:
        told.append(say(language, Sentence.MEMORY_DAMAGED, name=noted.damaged))
    if noted.secrets:
        told.append(say(language, Sentence.MEMORY_SECRETS, count=noted.secrets))
    if noted.instructions:
        told.append(
            say(
                language,
                MemorySentence.INSTRUCTIONS_FULL,
                count=noted.instructions,
                most=MOST_INSTRUCTIONS,
            )
        )
    if noted.stale:
        told.append(say(language, MemorySentence.STILL_TRUE, content=noted.stale.content, id=noted.stale.id))
    return tuple(told)
