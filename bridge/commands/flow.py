"""/new and /stop."""

from __future__ import annotations

from dataclasses import replace

from bridge.commands.context import CommandContext
from bridge.conversations import ConversationRecord
from bridge.question_flow import drop
from bridge.queues import turns
from bridge.texts import Sentence


async def new(context: CommandContext, rest: str) -> str:
    """Begin on a fresh thread; what ran or waited before this command ends."""

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
            reminded=False,
        )

    before, _ = await context.services.conversations.read(context.conversation)
    if before.question is not None:
        await drop(context.services.journal, before.question.turn)
    await context.services.conversations.change(context.conversation, begin_anew)
    conversation = context.conversation
    dropped = await context.services.journal.cancel(turns(conversation), conversation.key, context.item)
    lines = [context.say(Sentence.NEW_STARTED)]
    if await context.stop(context.conversation):
        lines.append(context.say(Sentence.NEW_STOPPED))
    if dropped:
        lines.append(context.say(Sentence.NEW_DROPPED, count=len(dropped)))
    return " ".join(lines)


async def stop(context: CommandContext, rest: str) -> str:
    """End the running turn."""
    stopped = await context.stop(context.conversation)
    return context.say(Sentence.STOP_DONE if stopped else Sentence.STOP_NOTHING)
