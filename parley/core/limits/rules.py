"""How much may be asked, of a person, a chat and a channel: rules over counts (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import chain
from math import ceil

from parley.core.model.limits import LimitMeasure, LimitOptions, LimitScope
from parley.core.model.usage import NO_USAGE, Usage, sum_usage

KEPT_DAYS = 30
"""Days before today of which counts are kept, for /usage."""

_DAY = 86_400.0
_MINUTE = 60
_HOUR = 3600
_LONGEST_DAY = 25
"""Hours of the day on which clocks are put back."""


TURN_MEASURES = frozenset({LimitMeasure.TURNS_A_MINUTE, LimitMeasure.TURNS})


@dataclass(frozen=True, slots=True)
class LimitWindow:
    """A stretch of time that is counted by itself; it `ends` at a Unix second.

    For accounts a day is counted in `hours`, of which the one that is being counted is the first.
    """

    name: str
    ends: float
    hours: tuple[str, ...] = ()


def minute_window(at: float) -> LimitWindow:
    """Return the minute of the clock around `at`."""
    number = int(at // _MINUTE)
    return LimitWindow(f"minute/{number}", float((number + 1) * _MINUTE))


def hour_window(at: float) -> LimitWindow:
    """Return the hour of the clock around `at`."""
    number = int(at // _HOUR)
    return LimitWindow(f"hour/{number}", float((number + 1) * _HOUR))


def day_window(at: float, zone: tzinfo, back: int = 0) -> LimitWindow:
    """Return the day around `at`, whose hours begin with that around `at`; or the one `back` days before."""
    day = datetime.fromtimestamp(at, zone).date() - timedelta(days=back)
    passed = 0 if back else int((at - _midnight(day, zone)) // _HOUR)
    return _day(day, zone, min(passed, _LONGEST_DAY - 1))


@lru_cache(maxsize=64)
def _day(day: date, zone: tzinfo, passed: int) -> LimitWindow:
    begins, ends = _midnight(day, zone), _midnight(day + timedelta(days=1), zone)
    hours = _hours(day, min(ceil((ends - begins) / _HOUR), _LONGEST_DAY))
    return LimitWindow(f"day/{day.isoformat()}", ends, tuple(hours[passed:] + hours[:passed]))


def kept_hours(now: float) -> tuple[str, ...]:
    """Return the names of all hours of which counts may be kept at `now`, whatever the zone was."""
    today = datetime.fromtimestamp(now, UTC).date()
    days = (today - timedelta(days=back) for back in range(-1, KEPT_DAYS + 2))
    return tuple(chain.from_iterable(_hours(day, _LONGEST_DAY) for day in days))


def _hours(day: date, number: int) -> list[str]:
    return [f"{day.isoformat()}/{hour:02}" for hour in range(number)]


def _midnight(day: date, zone: tzinfo) -> float:
    return datetime.combine(day, time(), zone).timestamp()


@dataclass(frozen=True, slots=True)
class LimitSubject:
    """Whose counts a turn belongs to: keys of the person's accounts (the one that spoke first), and of the
    place. `person` is our own id of them, `private` says that the chat is theirs alone.
    """

    person: str
    accounts: tuple[str, ...]
    chat: str
    channel: str
    private: bool = False

    def scopes(self, options: LimitOptions) -> tuple[LimitScope, ...]:
        """Return those whose counts a turn of this party is added to.

        Nobody reads those of a private chat unless chats have limits. In a large store each row that a turn
        changes is a page in the database's log.
        """
        unread = LimitScope.CHAT if self.private and not options.chat.limits() else None
        return tuple(scope for scope in LimitScope if scope is not unread)

    def names(self, scope: LimitScope, window: LimitWindow) -> tuple[str, ...]:
        """Return the names of a scope's counts in a window; a turn of this party is added to the first."""
        if scope is LimitScope.PERSON:
            return tuple(name for account in self.accounts for name in _of_account(account, window))
        key = self.chat if scope is LimitScope.CHAT else self.channel
        return (f"{scope}/{_plain(key)}/{window.name}",)


def _of_account(account: str, window: LimitWindow) -> Iterator[str]:
    # Counts that change at the same time lie side by side in the store's index, whoever they belong to: a
    # turn seldom adds a page to the database's log. The last name is that of whole days, as they were counted
    # until November 2026.
    whose = f"account/{_plain(account)}/"
    yield from (f"{hour}/{whose}" for hour in window.hours)
    yield f"{whose}{window.name}"


def refusal_counter(account: str) -> str:
    """Return how the names begin that count the refusals an account was told of; `account` is its key."""
    return f"said/refused/{account}/"


def bot_counter(chat: str) -> str:
    """Return how the names begin that count the turns of bots in a chat; `chat` is its key."""
    return f"bots/{chat}/"


def warning_counter(scope: LimitScope, measure: LimitMeasure, whose: str) -> str:
    """Return how the names begin that count one limit's warnings; `whose` is a person, chat or channel."""
    return f"said/near/{scope}/{measure}/{whose}/"


def _plain(key: str) -> str:
    # Keys have their own "%" escaped already.
    return key.replace("/", "%2F")


@dataclass(frozen=True, slots=True)
class LimitRule:
    """One limit on one party now: what the counts `names` together may come to until the window ends."""

    scope: LimitScope
    measure: LimitMeasure
    most: int
    window: LimitWindow
    names: tuple[str, ...]

    def used(self, counts: Mapping[str, Usage]) -> int:
        """Return how much of it is used."""
        return self._of(self.names, counts)

    def room(self, counts: Mapping[str, Usage]) -> int:
        """Return how much is left for the first count, beside the others."""
        return self.most - self._of(self.names[1:], counts)

    def _of(self, names: Sequence[str], counts: Mapping[str, Usage]) -> int:
        count = sum_usage(counts.get(name, NO_USAGE) for name in names)
        if self.measure in TURN_MEASURES:
            return count.turns
        return count.cost if self.measure is LimitMeasure.COST else count.tokens


def rules_for(options: LimitOptions, party: LimitSubject, at: float) -> tuple[LimitRule, ...]:
    """Return every limit that a turn of the party comes under at `at`."""
    minute, day = minute_window(at), day_window(at, options.zone)
    return tuple(
        LimitRule(scope, measure, most, window, party.names(scope, window))
        for scope in LimitScope
        for measure, most in options.caps(scope).limits()
        for window in (minute if measure is LimitMeasure.TURNS_A_MINUTE else day,)
    )


def counter_names(rules: Iterable[LimitRule]) -> tuple[str, ...]:
    """Return the counts that the rules look at."""
    return tuple(dict.fromkeys(name for rule in rules for name in rule.names))


def find_reached(rules: Iterable[LimitRule], counts: Mapping[str, Usage]) -> LimitRule | None:
    """Return the rule that leaves no room, of several the one that stays longest; None for none."""
    return _longest(rule for rule in rules if rule.used(counts) >= rule.most)


def find_reached_before(rules: Iterable[LimitRule], counts: Mapping[str, Usage]) -> LimitRule | None:
    """Return the same before a turn is added; its own turns are compared then: it may be there already."""
    full = (
        rule
        for rule in rules
        if (rule.room(counts) <= 0 if rule.measure in TURN_MEASURES else rule.used(counts) >= rule.most)
    )
    return _longest(full)


def find_nearly_reached(
    rules: Iterable[LimitRule], counts: Mapping[str, Usage], warn_at: float
) -> tuple[LimitRule, ...]:
    """Return the rules of which so large a share is used that people are to be told."""
    return tuple(rule for rule in rules if warn_at and rule.used(counts) >= warn_at * rule.most)


def kept_until(window: LimitWindow) -> float:
    """Return when the count of a window may go."""
    return window.ends + KEPT_DAYS * _DAY


def _longest(rules: Iterable[LimitRule]) -> LimitRule | None:
    return max(rules, key=lambda rule: rule.window.ends, default=None)
