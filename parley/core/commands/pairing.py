"""/pair: strangers ask to be let in, and administrators let them in."""

from __future__ import annotations

from parley.core.commands.context import CommandContext
from parley.core.model.address import account_key
from parley.core.texts import Sentence


async def pair(context: CommandContext, rest: str) -> str:
    """With a code: let in who was given it. Only those who may talk come here."""
    message, options = context.message, context.services.channel_options(context.message)
    if not message.private:
        return context.say(Sentence.LINK_PRIVATELY)
    if message.sender.id not in options.admins:
        return context.say(Sentence.PAIR_ADMINS if rest else Sentence.PAIR_NEEDLESS)
    if not rest:
        return context.say(Sentence.PAIR_HOW_HERE if options.operating else Sentence.PAIR_HOW)
    channel = "" if options.operating else message.sender.channel
    paired = await context.services.pairing.approve(rest, account_key(message.sender), channel)
    if paired is None:
        return context.say(Sentence.PAIR_UNKNOWN)
    return context.say(Sentence.PAIR_DONE, name=paired.name or paired.account, account=paired.account)


async def ask_to_pair(context: CommandContext) -> str | None:
    """Return the answer to a stranger's `/pair`; None when they had too many codes."""
    code = await context.services.pairing.ask(context.message.sender)
    return None if code is None else context.say(Sentence.PAIR_CODE, code=code)
