"""How much may be asked, of a person, a chat and a channel: rules over counts (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import lru_cache

from parley.core.usage import NOTHING, Price, Usage, total

KEPT_DAYS = 30
"""Days before today of which counts are kept, for /usage."""

_DAY = 86_400.0
_MINUTE = 60


class Scope(StrEnum):
    """Whose limit it is. A person's counts are those of all their accounts."""

    PERSON = "person"
    CHAT = "chat"
    CHANNEL = "channel"


class Measure(StrEnum):
    """What is limited, and in which window."""

    TURNS_A_MINUTE = "turns_per_minute"
    TURNS = "turns_per_day"
    TOKENS = "tokens_per_day"
    COST = "cost_per_day"


TURNS = frozenset({Measure.TURNS_A_MINUTE, Measure.TURNS})


@dataclass(frozen=True, slots=True)
class Caps:
    """The most of each measure, 0 for no limit. Cost is in millionths of the currency."""

    turns_per_minute: int = 0
    turns_per_day: int = 0
    tokens_per_day: int = 0
    cost_per_day: int = 0

    def of(self) -> tuple[tuple[Measure, int], ...]:
        """Those that are set."""
        every = (self.turns_per_minute, self.turns_per_day, self.tokens_per_day, self.cost_per_day)
        return tuple((measure, most) for measure, most in zip(Measure, every, strict=True) if most)


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Limits by scope. People are told once when they have used `warn_at` (a share, 0 for never) of one.

    A day begins at midnight in `zone`. `prices` are by the patterns of models' names.
    """

    person: Caps = Caps()
    chat: Caps = Caps()
    channel: Caps = Caps()
    warn_at: float = 0.8
    zone: tzinfo = UTC
    currency: str = "USD"
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return any(map(Caps.of, (self.person, self.chat, self.channel)))

    def caps(self, scope: Scope) -> Caps:
        """The limits of a scope."""
        return {Scope.PERSON: self.person, Scope.CHAT: self.chat, Scope.CHANNEL: self.channel}[scope]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time that is counted by itself; it `ends` at a Unix second."""

    name: str
    ends: float


def minute_of(at: float) -> Window:
    """The minute of the clock around `at`."""
    number = int(at // _MINUTE)
    return Window(f"minute/{number}", float((number + 1) * _MINUTE))


def day_of(at: float, zone: tzinfo, back: int = 0) -> Window:
    """The day around `at`, or one of those before it."""
    return _day(datetime.fromtimestamp(at, zone).date() - timedelta(days=back), zone)


@lru_cache(maxsize=64)
def _day(day: date, zone: tzinfo) -> Window:
    ends = datetime.combine(day + timedelta(days=1), time(), zone)
    return Window(f"day/{day.isoformat()}", ends.timestamp())


@dataclass(frozen=True, slots=True)
class Party:
    """Whose counts a turn belongs to: keys of the person's accounts (the one that spoke first), and of the
    place. `person` is our own id of them.
    """

    person: str
    accounts: tuple[str, ...]
    chat: str
    channel: str

    def names(self, scope: Scope, window: Window) -> tuple[str, ...]:
        """The names of the counts of a scope in a window; a turn of this party is added to the first."""
        if scope is Scope.PERSON:
            return tuple(account_count(account) + window.name for account in self.accounts)
        key = self.chat if scope is Scope.CHAT else self.channel
        return (f"{scope}/{_plain(key)}/{window.name}",)


def account_count(account: str) -> str:
    """How the names of an account's counts begin; `account` is its key."""
    return f"account/{_plain(account)}/"


def refusal_count(account: str) -> str:
    """How the names begin that count the refusals an account was told of; `account` is its key."""
    return f"said/refused/{account}/"


def warning_count(scope: Scope, measure: Measure, whose: str) -> str:
    """How the names begin that count the warnings of one limit; `whose` is a person, chat or channel."""
    return f"said/near/{scope}/{measure}/{whose}/"


def _plain(key: str) -> str:
    # Keys have their own "%" escaped already.
    return key.replace("/", "%2F")


@dataclass(frozen=True, slots=True)
class Rule:
    """One limit on one party now: what the counts `names` together may come to until the window ends."""

    scope: Scope
    measure: Measure
    most: int
    window: Window
    names: tuple[str, ...]

    def used(self, counts: Mapping[str, Usage]) -> int:
        """How much of it is used."""
        return self._of(self.names, counts)

    def room(self, counts: Mapping[str, Usage]) -> int:
        """How much is left for the first count, beside the others."""
        return self.most - self._of(self.names[1:], counts)

    def _of(self, names: Sequence[str], counts: Mapping[str, Usage]) -> int:
        count = total(counts.get(name, NOTHING) for name in names)
        if self.measure in TURNS:
            return count.turns
        return count.cost if self.measure is Measure.COST else count.tokens


def rules_for(options: LimitOptions, party: Party, at: float) -> tuple[Rule, ...]:
    """Every limit that a turn of the party comes under at `at`."""
    minute, day = minute_of(at), day_of(at, options.zone)
    return tuple(
        Rule(scope, measure, most, window, party.names(scope, window))
        for scope in Scope
        for measure, most in options.caps(scope).of()
        for window in (minute if measure is Measure.TURNS_A_MINUTE else day,)
    )


def names_in(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The counts that the rules look at."""
    return tuple(dict.fromkeys(name for rule in rules for name in rule.names))


def reached(rules: Iterable[Rule], counts: Mapping[str, Usage]) -> Rule | None:
    """The rule that leaves no room, of several the one that stays longest; None where all leave some."""
    return _longest(rule for rule in rules if rule.used(counts) >= rule.most)


def reached_before(rules: Iterable[Rule], counts: Mapping[str, Usage]) -> Rule | None:
    """The same before a turn is added, whose own turns are compared when it is: it may be there already."""
    full = (
        rule
        for rule in rules
        if (rule.room(counts) <= 0 if rule.measure in TURNS else rule.used(counts) >= rule.most)
    )
    return _longest(full)


def near(rules: Iterable[Rule], counts: Mapping[str, Usage], warn_at: float) -> tuple[Rule, ...]:
    """The rules of which so large a share is used that people are to be told."""
    return tuple(rule for rule in rules if warn_at and rule.used(counts) >= warn_at * rule.most)


def kept_until(window: Window) -> float:
    """When the count of a window may go."""
    return window.ends + KEPT_DAYS * _DAY


def _longest(rules: Iterable[Rule]) -> Rule | None:
    return max(rules, key=lambda rule: rule.window.ends, default=None)
