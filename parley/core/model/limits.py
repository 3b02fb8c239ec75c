"""Limits of use, as the settings have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum

from parley.core.model.usage import TokenPrice


class LimitScope(StrEnum):
    """Whose limit it is. A person's counts are those of all their accounts."""

    PERSON = "person"
    CHAT = "chat"
    CHANNEL = "channel"


class LimitMeasure(StrEnum):
    """What is limited, and in which window."""

    TURNS_A_MINUTE = "turns_per_minute"
    TURNS = "turns_per_day"
    TOKENS = "tokens_per_day"
    COST = "cost_per_day"


@dataclass(frozen=True, slots=True)
class LimitCaps:
    """The most of each measure, 0 for no limit. Cost is in millionths of the currency."""

    turns_per_minute: int = 0
    turns_per_day: int = 0
    tokens_per_day: int = 0
    cost_per_day: int = 0

    def limits(self) -> tuple[tuple[LimitMeasure, int], ...]:
        """Return those that are set."""
        every = (self.turns_per_minute, self.turns_per_day, self.tokens_per_day, self.cost_per_day)
        return tuple((measure, most) for measure, most in zip(LimitMeasure, every, strict=True) if most)


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Limits by scope. People are told once when they have used `warn_at` (a share, 0 for never) of one.

    A day begins at midnight in `zone`. `prices` are by the patterns of models' names.
    """

    person: LimitCaps = LimitCaps()
    chat: LimitCaps = LimitCaps()
    channel: LimitCaps = LimitCaps()
    warn_at: float = 0.8
    zone: tzinfo = UTC
    currency: str = "USD"
    prices: Mapping[str, TokenPrice] = field(default_factory=dict)

    limited: bool = field(init=False)
    """Whether there is any limit: every turn asks."""

    def __post_init__(self) -> None:
        """Work out whether there is any limit."""
        every = (self.person, self.chat, self.channel)
        object.__setattr__(self, "limited", any(map(LimitCaps.limits, every)))

    def caps(self, scope: LimitScope) -> LimitCaps:
        """Return the limits of a scope."""
        return {LimitScope.PERSON: self.person, LimitScope.CHAT: self.chat, LimitScope.CHANNEL: self.channel}[
            scope
        ]
