"""One command, from accepted to answered; it never waits for a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from parley.core.access import Verdict
from parley.core.answering import deliver
from parley.core.bursts import Accepted, read
from parley.core.commands.context import CommandAnswer, CommandContext
from parley.core.commands.pairing import ask_to_pair
from parley.core.commands.table import run_command
from parley.core.errors import DocumentConflict
from parley.core.people import account_key
from parley.core.ports import Claim, Document
from parley.core.record import Stage, TurnLog, lost_files
from parley.core.services import Services
from parley.core.texts import Sentence
from parley.core.types import Conversation

REFUSED = "refused/"
"""Under it stands who was told of a refusal, by account and sentence, and when."""

_REFUSED_AGAIN_AFTER = 3600.0


async def work_command(
    services: Services, claim: Claim, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """Answer the lane's first command. Raises LaneLost, StoreUnavailable."""
    (first, *_) = read(claim.items)
    accepted = Accepted(first.item, await services.known(first.message))
    turn = TurnLog(services.journal, claim, accepted.item)
    if turn.record.stage is Stage.ACCEPTED or lost_files(turn.record):
        context = CommandContext(services, accepted.message, accepted.item.id, stop)
        answer = await _answer(context)
        await turn.write(stage=Stage.ANSWERED, text=answer.text, files=answer.files)
    await deliver(services, claim, accepted, turn)


async def _answer(context: CommandContext) -> CommandAnswer:
    match context.services.verdict(context.message):
        case Verdict.ALLOW:
            return await run_command(context)
        case Verdict.PAIR:
            answer = await ask_to_pair(context)
            return CommandAnswer(answer) if answer else await _refuse(context, Sentence.PAIR_TOO_OFTEN)
        case Verdict.REFUSE:
            pairing = context.services.channel_options(context.message).pairing
            return await _refuse(context, Sentence.REFUSED_PAIR if pairing else Sentence.REFUSED)
        case Verdict.IGNORE:
            return CommandAnswer("")


async def _refuse(context: CommandContext, sentence: Sentence) -> CommandAnswer:
    """The refusal, or silence for those who heard it within the hour."""
    if await _told_lately(context, sentence):
        return CommandAnswer("")
    sender = context.message.sender
    return CommandAnswer(context.say(sentence, user=sender.id, channel=sender.channel))


async def _told_lately(context: CommandContext, sentence: Sentence) -> bool:
    """Whether this person heard of the refusal within the hour; notes that they hear of it now."""
    sender, now = context.message.sender, context.services.clock()
    known = await context.services.journal.get(f"{REFUSED}{account_key(sender)}/{sentence}")
    if known.body and now - float(known.body) < _REFUSED_AGAIN_AFTER:
        return True
    try:
        await context.services.journal.set(Document(known.key, str(now), known.version))
    except DocumentConflict:
        return True
    return False
