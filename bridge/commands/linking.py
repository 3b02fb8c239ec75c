"""/link and /unlink: one person's accounts, one memory."""

from __future__ import annotations

from bridge.commands.context import CommandContext
from bridge.texts import Sentence


async def link(context: CommandContext, rest: str) -> str:
    """Without a code: give one. With a code from another account: become that person."""
    people, sender = context.services.people, context.message.sender
    if not context.message.private:
        return context.say(Sentence.LINK_PRIVATELY)
    if not rest:
        accounts = await people.accounts_of(await people.person_of(sender))
        lines = [context.say(Sentence.LINK_CODE, code=await people.offer(sender))]
        if len(accounts) > 1:
            lines.append(context.say(Sentence.LINK_ACCOUNTS, accounts=", ".join(f"`{a}`" for a in accounts)))
        return "\n".join(lines)
    if not await people.may_try(sender):
        return context.say(Sentence.LINK_TOO_OFTEN)
    linked = await people.accept(sender, rest)
    if linked is None:
        return context.say(Sentence.LINK_UNKNOWN)
    merged = await context.services.memory.merge(linked.source, linked.into)
    accounts = await people.accounts_of(linked.into)
    lines = [context.say(Sentence.LINK_DONE, accounts=", ".join(f"`{account}`" for account in accounts))]
    if context.services.memory.enabled:
        lines.append(context.say(Sentence.LINK_MERGED, added=merged.added, known=merged.known))
    return "\n".join(lines)


async def unlink(context: CommandContext, rest: str) -> str:
    """Make this account a person of its own again, with a memory that is still empty."""
    if not context.message.private:
        return context.say(Sentence.LINK_PRIVATELY)
    left = await context.services.people.leave(context.message.sender)
    return context.say(Sentence.UNLINK_DONE if left else Sentence.UNLINK_ALONE)
