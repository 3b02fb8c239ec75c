"""/link and /unlink: one person's accounts, one memory."""

from __future__ import annotations

from parley.core.commands.context import CommandContext
from parley.core.model.address import account_key
from parley.core.ports.memory.port import AccountUnlink
from parley.core.state.account_links import AccountLinks, LinkOffer, LinkResult, LinkStage
from parley.core.texts import Sentence
from parley.core.texts.typed_words import CANCEL, CONFIRM


async def link(context: CommandContext, rest: str) -> str:
    """Without a code: give one, or show who wants to be linked. With one: show what linking would do."""
    if not context.message.private:
        return context.say(Sentence.LINK_PRIVATELY)
    services, word = context.services, rest.casefold()
    links = AccountLinks(services.people, services.journal, services.clock)
    if not rest:
        return await _begin(context, links)
    if word in CONFIRM:
        return await _confirm(context, links)
    if word in CANCEL:
        dropped = await links.drop(context.message.sender)
        return context.say(Sentence.LINK_CANCELLED if dropped else Sentence.LINK_NOTHING)
    if not await links.may_try(context.message.sender):
        return context.say(Sentence.LINK_TOO_OFTEN)
    offer = await links.type(context.message.sender, rest)
    if offer is None:
        return context.say(Sentence.LINK_UNKNOWN)
    return await _asked(context, Sentence.LINK_ASK, offer.by, offer.by_name)


async def _begin(context: CommandContext, links: AccountLinks) -> str:
    sender = context.message.sender
    shown = await links.show(sender)
    if shown is not None:
        return await _asked(context, Sentence.LINK_ASK_BACK, shown.account, shown.account_name)
    offer = await links.open_with(sender)
    if offer is not None and offer.account == account_key(sender) and offer.stage is not LinkStage.LINKED:
        return await _step_of_typer(context, offer)
    lines = [context.say(Sentence.LINK_CODE, code=await links.offer(sender))]
    return "\n".join([*lines, *await _linked_so_far(context)])


async def _step_of_typer(context: CommandContext, offer: LinkOffer) -> str:
    if offer.stage is LinkStage.TYPED:
        return await _asked(context, Sentence.LINK_ASK, offer.by, offer.by_name)
    return context.say(Sentence.LINK_AGREED, account=offer.by)


async def _asked(context: CommandContext, sentence: Sentence, account: str, name: str) -> str:
    """Return what this person is asked: who the other account is, and what it will see of theirs."""
    services = context.services
    person = await services.people.person_of(context.message.sender)
    facts = (await services.memory.overview(person)).facts
    asked = context.say(sentence, account=account, name=name or account, count=len(facts))
    return "\n".join([asked, *await _linked_so_far(context)])


async def _linked_so_far(context: CommandContext) -> list[str]:
    people = context.services.people
    accounts = await people.accounts_of(await people.person_of(context.message.sender))
    return [context.say(Sentence.LINK_ACCOUNTS, accounts=_named(accounts))] if len(accounts) > 1 else []


async def _confirm(context: CommandContext, links: AccountLinks) -> str:
    sender = context.message.sender
    agreed = await links.agree(sender)
    if agreed is not None:
        return context.say(Sentence.LINK_AGREED, account=agreed.by)
    linked = await links.link(sender)
    if linked is not None:
        return await _linked(context, linked)
    offer = await links.open_with(sender)
    if offer is not None and offer.stage is LinkStage.LINKED:
        return "\n".join(await _linked_so_far(context))
    return context.say(Sentence.LINK_NOTHING)


async def _linked(context: CommandContext, linked: LinkResult) -> str:
    services = context.services
    merged = await services.memory.merge(linked.source, linked.into, linked.named)
    accounts = await services.people.accounts_of(linked.into)
    lines = [context.say(Sentence.LINK_DONE, accounts=_named(accounts))]
    if services.memory.enabled:
        lines.append(context.say(Sentence.LINK_MERGED, added=merged.added, known=merged.known))
    return "\n".join(lines)


async def unlink(context: CommandContext, rest: str) -> str:
    """Make this account a person of its own again, with what came from it."""
    if not context.message.private:
        return context.say(Sentence.LINK_PRIVATELY)
    services, sender = context.services, context.message.sender
    await AccountLinks(services.people, services.journal, services.clock).drop(sender)
    left = await services.people.leave(sender)
    if left is None:
        return context.say(Sentence.UNLINK_ALONE)
    parting = AccountUnlink(account_key(sender), left.named)
    given = await services.memory.part(left.person, left.own, parting)
    await services.people.settle(sender)
    return context.say(Sentence.UNLINK_DONE, count=given)


def _named(accounts: tuple[str, ...]) -> str:
    return ", ".join(f"`{account}`" for account in accounts)
