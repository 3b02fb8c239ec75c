"""Counts and limits in words."""

from __future__ import annotations

from datetime import datetime, tzinfo

from parley.core.limits.rules import LimitRule
from parley.core.model.limits import LimitMeasure, LimitOptions
from parley.core.model.usage import MILLION
from parley.core.texts import Sentence, say

_MINUTE, _HOUR = 60, 3600
_OF = {
    LimitMeasure.TURNS_A_MINUTE: Sentence.LIMIT_OF_TURNS_A_MINUTE,
    LimitMeasure.TURNS: Sentence.LIMIT_OF_TURNS,
    LimitMeasure.TOKENS: Sentence.LIMIT_OF_TOKENS,
    LimitMeasure.COST: Sentence.LIMIT_OF_COST,
}


def render_used(language: str, options: LimitOptions, rule: LimitRule, used: int) -> str:
    """Return how much of a limit is used: "8 of 10 turns a day"."""
    if rule.measure is LimitMeasure.COST:
        shown = {"used": render_money(used), "most": render_money(rule.most)}
        return say(language, Sentence.LIMIT_OF_COST, currency=options.currency, **shown)
    return say(language, _OF[rule.measure], used=f"{used:,}", most=f"{rule.most:,}")


def render_time_until(language: str, ends: float, now: float, zone: tzinfo) -> str:
    """Return a time ahead: in how long, and by the clock where that is more than an hour."""
    left = max(1, round(ends - now))
    if left < 2 * _MINUTE:
        return say(language, Sentence.WHEN_SECONDS, seconds=left)
    hours, minutes = divmod(-(-left // _MINUTE), _MINUTE)
    if left <= _HOUR:
        return say(language, Sentence.WHEN_MINUTES, minutes=hours * _MINUTE + minutes)
    clock = datetime.fromtimestamp(ends, zone).strftime("%H:%M %Z")
    return say(language, Sentence.WHEN_HOURS, clock=clock, hours=hours, minutes=minutes)


def render_money(cost: int) -> str:
    """Return millionths of a currency as an amount: cents, and more digits below one unit."""
    if abs(cost) >= MILLION:
        return f"{cost / MILLION:,.2f}"
    whole, _, digits = f"{cost / MILLION:.6f}".partition(".")
    return f"{whole}.{digits.rstrip('0').ljust(2, '0')}"
