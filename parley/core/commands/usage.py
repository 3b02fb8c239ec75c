"""/usage: how much somebody has asked, and what is left of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from parley.core.commands.context import CommandContext
from parley.core.limits import KEPT_DAYS, Party, Rule, Scope, day_of, rules_for
from parley.core.texts import Sentence
from parley.core.usage import Usage, total
from parley.core.usage_gate import counts_of, party_of
from parley.core.usage_words import money, used_of, when

_TITLES = {
    Scope.PERSON: Sentence.USAGE_YOU,
    Scope.CHAT: Sentence.USAGE_CHAT,
    Scope.CHANNEL: Sentence.USAGE_CHANNEL,
}


async def usage(context: CommandContext, rest: str) -> str:
    """The person's own figures; an administrator of the channel sees the place's, too."""
    message = context.message
    party = await party_of(context.services, message)
    scopes = [Scope.PERSON]
    if message.sender.id in context.services.channel_options(message).admins:
        scopes += [Scope.CHANNEL] if message.private else [Scope.CHAT, Scope.CHANNEL]
    return "\n\n".join([await _figures(context, party, scope) for scope in scopes])


async def _figures(context: CommandContext, party: Party, scope: Scope) -> str:
    services, options, now = context.services, context.services.options.limits, context.services.clock()
    days = [day_of(now, options.zone, back) for back in range(KEPT_DAYS)]
    names = [party.names(scope, day) for day in days]
    counts = await services.journal.counted(tuple(chain(*names)))
    today, month = total(counts[: len(names[0])]), total(counts)
    rules = [rule for rule in rules_for(options, party, now) if rule.scope is scope]
    lines = [
        context.say(Sentence.USAGE_TODAY, who=context.say(_TITLES[scope]), figures=_spelled(context, today)),
        *await _limits(context, rules, now),
        "- " + context.say(Sentence.USAGE_DAYS, days=KEPT_DAYS, figures=_spelled(context, month)),
        *_gaps(context, month),
    ]
    return "\n".join(lines)


async def _limits(context: CommandContext, rules: Sequence[Rule], now: float) -> list[str]:
    services, options = context.services, context.services.options.limits
    counts, language = await counts_of(services.journal, rules), services.language(context.message)
    return [
        "- "
        + context.say(
            Sentence.USAGE_LIMIT,
            what=used_of(language, options, rule, rule.used(counts)),
            when=when(language, rule.window.ends, now, options.zone),
        )
        for rule in rules
    ]


def _spelled(context: CommandContext, count: Usage) -> str:
    options = context.services.options.limits
    figures = context.say(
        Sentence.USAGE_FIGURES,
        turns=f"{count.turns:,}",
        input=f"{count.input:,}",
        output=f"{count.output:,}",
    )
    if not options.prices:
        return figures
    cost = context.say(Sentence.USAGE_COST, cost=money(count.cost), currency=options.currency)
    return f"{figures} · {cost}"


def _gaps(context: CommandContext, count: Usage) -> list[str]:
    """What the figures do not tell."""
    lines = []
    if count.turns > count.metered:
        lines.append(context.say(Sentence.USAGE_UNMETERED, count=f"{count.turns - count.metered:,}"))
    if context.services.options.limits.prices and count.unpriced:
        lines.append(context.say(Sentence.USAGE_UNPRICED, count=f"{count.unpriced:,}"))
    return [f"- {line}" for line in lines]
