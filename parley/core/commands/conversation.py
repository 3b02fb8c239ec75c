"""/new, /stop and /retry."""

from __future__ import annotations

from dataclasses import replace

from parley.core.commands.context import CommandContext
from parley.core.hitl.lifecycle import drop_questions
from parley.core.inbound.turn_queue import load_queue, retry_items
from parley.core.model.earlier_messages import MessagePosition
from parley.core.model.queues import turn_queue_of
from parley.core.state.conversations import ConversationRecord, keep_topic
from parley.core.texts import Sentence
from parley.core.turns.retries import retryable_messages


async def new(context: CommandContext, rest: str) -> str:
    """Begin on a fresh thread; what ran or waited before this command ends."""

    here = MessagePosition(context.message.id, context.message.sent_at)

    def begin_anew(record: ConversationRecord) -> ConversationRecord:
        # A command run again after a crash must not raise the generation twice.
        if record.since == context.item:
            return record
        return replace(
            record,
            generation=record.generation + 1,
            since=context.item,
            question=None,
            title="",
            said=(),
            voices=(),
            reminded=False,
            last=(),
            missed=None,
            asked=here,
            asked_before=here,
        )

    before, _ = await context.services.conversations.read(context.conversation)
    if before.question is not None:
        await drop_questions(context.services.journal, before.question.turn)
    await context.services.conversations.change(context.conversation, begin_anew)
    dropped = await _drop_waiting(context)
    lines = [context.say(Sentence.NEW_STARTED)]
    if await context.stop(context.conversation):
        lines.append(context.say(Sentence.NEW_STOPPED))
    if dropped:
        lines.append(context.say(Sentence.WAITING_DROPPED, count=dropped))
    return " ".join(lines)


async def stop(context: CommandContext, rest: str) -> str:
    """End the running turn; where none runs yet, what waits to be one."""
    if await context.stop(context.conversation):
        return context.say(Sentence.STOP_DONE)
    if dropped := await _drop_waiting(context):
        return context.say(Sentence.WAITING_DROPPED, count=dropped)
    # What waited at the first look may have begun before the second.
    stopped = await context.stop(context.conversation)
    return context.say(Sentence.STOP_DONE if stopped else Sentence.STOP_NOTHING)


async def retry(context: CommandContext, rest: str) -> str:
    """Have the last turn answered again; its reply says the rest.

    Called again after a crash it goes on where it was.
    """
    services, conversation, wish = context.services, context.conversation, str(context.item)
    # In this order: a turn that ends in between is in the record then.
    queue = await load_queue(services.journal, conversation)
    record, _ = await services.conversations.read(conversation)
    if any(each.message.retries == wish for each in queue.messages):
        return ""
    messages = retryable_messages(record, queue)
    if not messages:
        return context.say(Sentence.RETRY_BUSY if messages is None else Sentence.RETRY_NOTHING)
    if record.question is not None:
        await drop_questions(services.journal, record.question.turn)
        await services.conversations.change(conversation, lambda record: replace(record, question=None))
    await services.journal.put(*retry_items(messages, wish))
    return ""


async def _drop_waiting(context: CommandContext) -> int:
    """End what was said before this command and is not run yet; how many messages that were."""
    conversation, journal = context.conversation, context.services.journal
    dropped = await journal.cancel(turn_queue_of(conversation), conversation.key, context.item)
    if dropped:
        await keep_topic(journal, conversation)
    return len(dropped)
