"""/usage: how much somebody has asked, and what is left of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from parley.core.commands.context import CommandContext
from parley.core.limits.enforcement import load_counts, load_limit_subject
from parley.core.limits.render import render_money, render_time_until, render_used
from parley.core.limits.rules import KEPT_DAYS, LimitRule, LimitSubject, day_window, rules_for
from parley.core.model.limits import LimitScope
from parley.core.model.usage import Usage, sum_usage
from parley.core.texts import Sentence

_TITLES = {
    LimitScope.PERSON: Sentence.USAGE_YOU,
    LimitScope.CHAT: Sentence.USAGE_CHAT,
    LimitScope.CHANNEL: Sentence.USAGE_CHANNEL,
}


async def usage(context: CommandContext, rest: str) -> str:
    """Return the person's own figures; an administrator of the channel sees the place's, too."""
    message = context.message
    party = await load_limit_subject(context.services, message)
    scopes = [LimitScope.PERSON]
    if message.sender.id in context.services.channel_options(message).admins:
        scopes += [LimitScope.CHANNEL] if message.private else [LimitScope.CHAT, LimitScope.CHANNEL]
    return "\n\n".join([await _figures(context, party, scope) for scope in scopes])


async def _figures(context: CommandContext, party: LimitSubject, scope: LimitScope) -> str:
    services, options, now = context.services, context.services.options.limits, context.services.clock()
    days = [day_window(now, options.zone, back) for back in range(KEPT_DAYS)]
    names = [party.names(scope, day) for day in days]
    counts = await services.journal.counted(tuple(chain(*names)))
    today, month = sum_usage(counts[: len(names[0])]), sum_usage(counts)
    rules = [rule for rule in rules_for(options, party, now) if rule.scope is scope]
    lines = [
        context.say(Sentence.USAGE_TODAY, who=context.say(_TITLES[scope]), figures=_spelled(context, today)),
        *await _limits(context, rules, now),
        "- " + context.say(Sentence.USAGE_DAYS, days=KEPT_DAYS, figures=_spelled(context, month)),
        *_gaps(context, month),
    ]
    return "\n".join(lines)


async def _limits(context: CommandContext, rules: Sequence[LimitRule], now: float) -> list[str]:
    services, options = context.services, context.services.options.limits
    counts, language = await load_counts(services.journal, rules), services.language(context.message)
    return [
        "- "
        + context.say(
            Sentence.USAGE_LIMIT,
            what=render_used(language, options, rule, rule.used(counts)),
            when=render_time_until(language, rule.window.ends, now, options.zone),
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
    cost = context.say(Sentence.USAGE_COST, cost=render_money(count.cost), currency=options.currency)
    return f"{figures} · {cost}"


def _gaps(context: CommandContext, count: Usage) -> list[str]:
    """Return what the figures do not tell."""
    lines = []
    if count.turns > count.metered:
        lines.append(context.say(Sentence.USAGE_UNMETERED, count=f"{count.turns - count.metered:,}"))
    if context.services.options.limits.prices and count.unpriced:
        lines.append(context.say(Sentence.USAGE_UNPRICED, count=f"{count.unpriced:,}"))
    return [f"- {line}" for line in lines]
