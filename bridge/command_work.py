"""One command, from accepted to answered; it never waits for a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bridge.access import Verdict, judge
from bridge.bursts import Accepted, read
from bridge.codec import encode
from bridge.commands.context import CommandAnswer, CommandContext
from bridge.commands.table import run_command
from bridge.delivery import Delivery
from bridge.errors import DeliveryRejected, DocumentConflict
from bridge.ports import Claim, Document
from bridge.record import Stage, TurnLog
from bridge.services import Services
from bridge.texts import Sentence
from bridge.types import Conversation, OutboundMessage, ReplyTarget

_REFUSED_AGAIN_AFTER = 3600.0


async def work_command(
    services: Services, claim: Claim, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """Answer the lane's first command. Raises LaneLost, StoreUnavailable."""
    (accepted, *_) = read(claim.items)
    turn = TurnLog(services.journal, claim, accepted.item)
    if turn.record.stage is Stage.ACCEPTED:
        context = CommandContext(services, accepted.message, accepted.item.id, stop)
        answer = await _answer(context)
        await turn.write(stage=Stage.ANSWERED, text=answer.text, files=answer.files)
    if turn.record.text and not await _deliver(services, accepted, turn):
        await services.journal.bury(claim, [accepted.item], "the platform refused the answer")
        return
    done = replace(turn.record, stage=Stage.DELIVERED)
    await services.journal.done(claim, [accepted.item], note=encode(done))


async def _deliver(services: Services, accepted: Accepted, turn: TurnLog) -> bool:
    message, turn_id = accepted.message, services.conversations.turn_id(accepted.item.id)
    target = ReplyTarget(
        turn_id, message.conversation, message.id, message.sender, message.private, turn.record.handle
    )
    reply = services.channels[message.conversation.channel].open_reply(target, turn.keep_handle)
    record = turn.record
    final = OutboundMessage(
        turn_id, message.conversation, message.id, record.text, final=True, attachments=record.files
    )
    try:
        await Delivery(reply, 0.0).finish(final)
    except DeliveryRejected:
        return False
    return True


async def _answer(context: CommandContext) -> CommandAnswer:
    options = context.services.channel_options(context.message)
    verdict = judge(options, context.message, ours=True)
    if verdict is Verdict.ALLOW:
        return await run_command(context)
    if verdict is Verdict.IGNORE or await _told_lately(context):
        return CommandAnswer("")
    sender = context.message.sender
    return CommandAnswer(context.say(Sentence.REFUSED, user=sender.id, channel=sender.channel))


async def _told_lately(context: CommandContext) -> bool:
    """Whether this person heard of the refusal within the hour; notes that they hear of it now."""
    sender, now = context.message.sender, context.services.clock()
    known = await context.services.journal.get(f"refused/{sender.channel}:{sender.id}")
    if known.body and now - float(known.body) < _REFUSED_AGAIN_AFTER:
        return True
    try:
        await context.services.journal.set(Document(known.key, str(now), known.version))
    except DocumentConflict:
        return True
    return False
