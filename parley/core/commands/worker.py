"""One command, from accepted to answered; it never waits for a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from parley.core.commands.context import CommandAnswer, CommandContext
from parley.core.commands.pairing import ask_to_pair
from parley.core.commands.registry import run_command
from parley.core.inbound.access import AccessVerdict
from parley.core.inbound.batching import QueuedMessage, decode_messages
from parley.core.model.address import Conversation, account_key
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Claim, Document
from parley.core.services import CoreServices
from parley.core.state.turn_record import TurnCheckpoint, TurnStage, has_lost_files
from parley.core.texts import Sentence
from parley.core.turns.direct_reply import finish_with_reply

REFUSAL_PREFIX = "refused/"
"""Under it stands who was told of a refusal, by account (or chat) and sentence, and when."""

_REFUSED_AGAIN_AFTER = 3600.0


async def handle_command(
    services: CoreServices, claim: Claim, stop: Callable[[Conversation], Awaitable[bool]]
) -> None:
    """Answer the lane's first command. Raises LaneLost, StoreUnavailable."""
    (first, *_) = decode_messages(claim.items)
    accepted = QueuedMessage(first.item, await services.with_chosen_language(first.message))
    turn = TurnCheckpoint(services.journal, claim, accepted.item)
    if turn.record.stage is TurnStage.ACCEPTED or has_lost_files(turn.record):
        context = CommandContext(services, accepted.message, accepted.item.id, stop)
        answer = await _answer(context)
        await turn.write(stage=TurnStage.ANSWERED, text=answer.text, files=answer.files)
    await finish_with_reply(services, claim, accepted, turn)


async def _answer(context: CommandContext) -> CommandAnswer:
    match context.services.access_verdict(context.message):
        case AccessVerdict.ALLOW:
            return await run_command(context)
        case AccessVerdict.PAIR:
            answer = await ask_to_pair(context)
            return CommandAnswer(answer) if answer else await _refuse(context, Sentence.PAIR_TOO_OFTEN)
        case AccessVerdict.REFUSE:
            pairing = context.services.channel_options(context.message).pairing
            return await _refuse(context, Sentence.REFUSED_PAIR if pairing else Sentence.REFUSED)
        case AccessVerdict.UNROUTED:
            return await _refuse_unrouted(context)
        case AccessVerdict.IGNORE:
            return CommandAnswer("")


async def _refuse(context: CommandContext, sentence: Sentence) -> CommandAnswer:
    """Return the refusal, or silence for those who heard it within the hour."""
    sender = context.message.sender
    if await _told_lately(context, account_key(sender), sentence):
        return CommandAnswer("")
    return CommandAnswer(context.say(sentence, user=sender.id, channel=sender.channel))


async def _refuse_unrouted(context: CommandContext) -> CommandAnswer:
    """Return that no agent is set up in this chat, or silence where somebody heard so within the hour."""
    place = context.conversation
    if await _told_lately(context, Conversation(place.channel, place.chat).key, Sentence.UNROUTED):
        return CommandAnswer("")
    return CommandAnswer(context.say(Sentence.UNROUTED, chat=place.chat))


async def _told_lately(context: CommandContext, whom: str, sentence: Sentence) -> bool:
    """Return whether an account, or a chat, heard it within the hour; notes that it is told now."""
    now = context.services.clock()
    known = await context.services.journal.get(f"{REFUSAL_PREFIX}{whom}/{sentence}")
    if known.body and now - float(known.body) < _REFUSED_AGAIN_AFTER:
        return True
    try:
        await context.services.journal.set(Document(known.key, str(now), known.version))
    except DocumentConflict:
        return True
    return False
