"""Reading what stands above a mention, within a deadline; a turn goes on without it where that fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest, MessagePosition
from parley.core.model.errors import ChannelError
from parley.core.model.options import ContextOptions, ContextScope
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord
from parley.core.state.heard_messages import MOST_MESSAGES, HeardRecord, decode_heard, heard_document_key
from parley.core.state.turn_record import TurnCheckpoint
from parley.core.thread_context.framing import render_frame
from parley.core.thread_context.selection import ContextRules, select_messages

log = logging.getLogger(__name__)


def brings_context(services: CoreServices, burst: Sequence[QueuedMessage]) -> bool:
    """Return whether a turn is to know what was said before it: where several talk and one addresses us.

    A message that does not is one of a talk in which all is heard anyway.
    """
    first = burst[0].message
    if first.private or first.resumes or first.follows or not any(each.message.addressed for each in burst):
        return False
    return _wanted(services, first.conversation).scope is not ContextScope.OFF


def recalls_context(services: CoreServices, burst: Sequence[QueuedMessage]) -> bool:
    """Return whether that comes from what was heard, as the platform does not let it be read."""
    channel = services.channels[burst[0].message.conversation.channel]
    return not channel.capabilities.history and brings_context(services, burst)


def position_before(burst: Sequence[QueuedMessage], record: ConversationRecord) -> MessagePosition:
    """Return the last message that the agent knows: for a turn that runs again, as it was the first time."""
    return record.asked_before if burst[0].message.retries else record.asked


async def note_context(
    services: CoreServices,
    checkpoint: TurnCheckpoint,
    turn_id: str,
    burst: Sequence[QueuedMessage],
    record: ConversationRecord,
    heard: HeardRecord,
) -> None:
    """Read what was said before a turn that is about to run, once, and note it with the turn: another process
    goes on with what this one read. `heard` is what was heard where a platform does not let it be read.

    Raises LaneLost, StoreUnavailable.
    """
    turn = checkpoint.record
    if turn.context or turn.run_id or turn.answers or not brings_context(services, burst):
        return
    if context := await _read(services, turn_id, burst, record, heard):
        await checkpoint.write(context=context)


async def _read(
    services: CoreServices,
    turn_id: str,
    burst: Sequence[QueuedMessage],
    record: ConversationRecord,
    heard: HeardRecord,
) -> str:
    first = burst[0].message
    wanted = _wanted(services, first.conversation)
    request = _request(services, burst, record, wanted)
    rules = ContextRules(
        services.channel_options(first), wanted, services.pairing, _known(burst, record, request.after)
    )
    if services.channels[first.conversation.channel].capabilities.history:
        found = await _ask(services, turn_id, request)
    else:
        found = await _recall(services, request, heard.messages)
    chosen = select_messages(found, request, rules)
    if not chosen:
        return ""
    complete = len(found) < request.most
    return await asyncio.to_thread(render_frame, chosen, wanted.tokens, complete=complete)


def _request(
    services: CoreServices,
    burst: Sequence[QueuedMessage],
    record: ConversationRecord,
    wanted: ContextOptions,
) -> HistoryRequest:
    first = burst[0].message
    return HistoryRequest(
        conversation=first.conversation,
        before=MessagePosition(first.id, first.sent_at),
        after=position_before(burst, record),
        oldest=first.sent_at - wanted.age,
        most=MOST_MESSAGES,
        whole_chat=wanted.scope is ContextScope.CHAT,
    )


def _known(
    burst: Sequence[QueuedMessage], record: ConversationRecord, after: MessagePosition
) -> frozenset[str]:
    """Return the ids of what the agent is asked now, and of what it was asked together with `after`."""
    last = record.last if record.last and record.last[0].id == after.id else ()
    return frozenset({*(each.message.id for each in burst), *(each.id for each in last)})


async def _ask(services: CoreServices, turn_id: str, request: HistoryRequest) -> Sequence[EarlierMessage]:
    channel = services.channels[request.conversation.channel]
    try:
        async with asyncio.timeout(services.options.context_patience):
            found = await channel.earlier_messages(request)
            # A platform's code calls everybody by the platform's name; ours may be that of a second app.
            name = request.conversation.channel
            return tuple(replace(each, sender=replace(each.sender, channel=name)) for each in found)
    except ChannelError as error:
        log.warning("turn %s goes on without the messages above it: %s", turn_id, error)
    except TimeoutError:
        log.warning("turn %s goes on without the messages above it: reading them took too long", turn_id)
    return ()


async def _recall(
    services: CoreServices, request: HistoryRequest, heard: Sequence[EarlierMessage]
) -> Sequence[EarlierMessage]:
    place = request.conversation
    if heard or request.after.at or place.topic is None or not request.whole_chat:
        return heard
    chat = Conversation(place.channel, place.chat)
    return decode_heard(await services.journal.get(heard_document_key(chat))).messages


def _wanted(services: CoreServices, conversation: Conversation) -> ContextOptions:
    return services.options.channels[conversation.channel].at(conversation).earlier
