"""Windows, names, prices and rules: true for whatever numbers."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.core.limits.render import render_money, render_time_until
from parley.core.limits.rules import (
    KEPT_DAYS,
    LimitSubject,
    LimitWindow,
    day_window,
    find_nearly_reached,
    find_reached,
    find_reached_before,
    hour_window,
    minute_window,
    rules_for,
)
from parley.core.model.limits import LimitCaps, LimitMeasure, LimitOptions, LimitScope
from parley.core.model.usage import TokenPrice, TokenUsage, Usage, price_tokens, sum_usage
from parley.core.privacy.counters import counter_prefixes
from parley.core.privacy.data_subject import DataSubject

ZONES = [UTC, *map(ZoneInfo, ("Asia/Shanghai", "America/St_Johns", "Europe/Berlin", "Pacific/Apia"))]
times = st.floats(min_value=1.5e9, max_value=2.5e9)
keys = st.text(st.sampled_from("ab/%:. "), min_size=1, max_size=6)
counts = st.integers(min_value=0, max_value=10**12)
usages = st.builds(Usage, counts, counts, counts, counts, counts, counts)
PARTY = LimitSubject("p", ("test:ann", "other:ann"), "test:chat", "test")
EVERY = LimitCaps(3, 10, 1000, 5_000_000)


@given(times, st.sampled_from(ZONES))
def test_every_moment_is_in_one_day_that_ends_where_the_next_begins(at: float, zone: object) -> None:
    day = day_window(at, zone)  # type: ignore[arg-type]
    assert at < day.ends <= at + 49 * 3600  # Apia once left a day out
    assert day_window(day.ends - 0.001, zone).name == day.name  # type: ignore[arg-type]
    following = day_window(day.ends, zone)  # type: ignore[arg-type]
    assert following.name != day.name
    assert day_window(following.ends - 0.001, zone, back=1).name == day.name  # type: ignore[arg-type]


@given(times, st.sampled_from(ZONES), st.floats(0, 3600))
def test_a_day_is_counted_in_hours_whichever_of_them_it_is(at: float, zone: tzinfo, later: float) -> None:
    now = day_window(at, zone)
    then = day_window(at + later, zone)
    if now.name == then.name:
        assert sorted(now.hours) == sorted(then.hours)
        place = sorted(now.hours).index
        assert place(then.hours[0]) - place(now.hours[0]) in (0, 1)
    else:
        assert not set(now.hours) & set(then.hours)


@given(times, st.sampled_from(ZONES), st.floats(0, KEPT_DAYS * 86_400.0))
def test_every_name_that_is_kept_is_found_for_an_erasure(at: float, zone: tzinfo, later: float) -> None:
    accounts, chat = ("test:ann", "test:ann 2"), "test:ann"
    party = LimitSubject("p", accounts, chat, "test")
    prefixes = set(counter_prefixes(DataSubject("p", accounts), [chat], at + later))
    for scope in (LimitScope.PERSON, LimitScope.CHAT):
        kept = party.names(scope, day_window(at, zone))
        assert {name for name in kept if "/day/" not in name} <= prefixes
        assert all(name.startswith(tuple(prefixes)) for name in kept)
    other = LimitSubject("p", ("test:anna",), "test:anna", "test")
    names = [name for scope in LimitScope for name in other.names(scope, day_window(at, zone))]
    assert not [name for name in names if name.startswith(tuple(prefixes))]


@given(times)
def test_a_minute_is_a_minute(at: float) -> None:
    minute = minute_window(at)
    assert at < minute.ends <= at + 60
    assert minute_window(minute.ends - 0.001) == minute
    assert minute_window(minute.ends).name != minute.name
    hour = hour_window(at)
    assert hour.ends - 3600 <= at < hour.ends
    assert hour_window(hour.ends - 0.001) == hour
    assert hour_window(hour.ends).name != hour.name


@given(keys, keys)
def test_counts_of_different_accounts_never_meet(one: str, other: str) -> None:
    window = LimitWindow("", 0.0, ("hour",))
    names = [LimitSubject("", (key,), "", "").names(LimitScope.PERSON, window) for key in (one, other)]
    for left, right in zip(*names, strict=True):
        assert left.startswith(right) == (one == other)


@given(keys)
def test_a_party_has_counts_of_its_own_in_every_scope(key: str) -> None:
    party = LimitSubject("p", (key,), key, key)
    windows = (day_window(1.8e9, UTC), day_window(1.8e9, UTC, 1), minute_window(1.8e9))
    names = [name for scope in LimitScope for window in windows for name in party.names(scope, window)]
    assert len(set(names)) == len(names) == 25 + 25 + 1 + 2 * 3


@given(st.lists(usages))
def test_usage_adds_up(each: list[Usage]) -> None:
    assert sum_usage(each).turns == sum(usage.turns for usage in each)
    assert sum_usage(each).tokens == sum(usage.input + usage.output for usage in each)
    assert sum_usage(each).cost == sum(usage.cost for usage in each)


def test_the_first_pattern_that_fits_is_the_price() -> None:
    prices = {"gpt-mini*": TokenPrice(0.25, 2.0), "gpt-*": TokenPrice(2.5, 20.0)}
    used = price_tokens(
        [TokenUsage("gpt-mini-2026", 1_000_000, 500_000), TokenUsage("gpt-big", 1000, 0)], prices
    )
    assert used == Usage(input=1_001_000, output=500_000, cost=1_252_500)
    assert price_tokens([TokenUsage("claude", 3, 4)], prices) == Usage(input=3, output=4, unpriced=7)
    assert price_tokens([TokenUsage("", 3, 4)], {"*": TokenPrice(0, 0)}) == Usage(input=3, output=4)


@given(counts, counts, counts)
def test_a_rule_is_reached_exactly_when_its_amount_is_used(turns: int, tokens: int, cost: int) -> None:
    rules = rules_for(LimitOptions(chat=EVERY), PARTY, 1.8e9)
    used = {rule.names[0]: Usage(turns=turns, input=tokens, cost=cost) for rule in rules}
    amounts = {LimitMeasure.TOKENS: tokens, LimitMeasure.COST: cost}
    full = [rule for rule in rules if amounts.get(rule.measure, turns) >= rule.most]
    found = find_reached(rules, used)
    assert (found in full) if full else found is None
    assert found is None or found.window.ends == max(rule.window.ends for rule in full)
    # Beforehand, only what a turn does not add to by itself counts.
    before = find_reached_before(rules, used)
    assert (before is None) == (tokens < 1000 and cost < 5_000_000)


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_persons_accounts_share_what_there_is(own: int, other: int) -> None:
    rules = rules_for(LimitOptions(person=LimitCaps(turns_per_day=10)), PARTY, 1.8e9)
    (rule,) = rules
    (second, *_) = LimitSubject("p", PARTY.accounts[1:], "", "").names(rule.scope, rule.window)
    used = {rule.names[0]: Usage(turns=own), second: Usage(turns=other)}
    assert rule.used(used) == own + other
    assert (find_reached(rules, used) is rule) == (own + other >= 10)
    assert rule.room(used) == 10 - other
    assert (find_reached_before(rules, used) is rule) == (other >= 10)


@given(st.integers(1, 1000), st.integers(0, 1200))
def test_people_are_told_from_the_share_on(most: int, turns: int) -> None:
    rules = rules_for(LimitOptions(channel=LimitCaps(turns_per_day=most)), PARTY, 1.8e9)
    used = {rules[0].names[0]: Usage(turns=turns)}
    assert bool(find_nearly_reached(rules, used, 0.8)) == (turns >= 0.8 * most)
    assert find_nearly_reached(rules, used, 0.0) == ()


def test_without_limits_there_are_no_rules() -> None:
    assert not LimitOptions().limited
    assert rules_for(LimitOptions(), PARTY, 1.8e9) == ()
    assert LimitOptions(channel=LimitCaps(tokens_per_day=1)).limited


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (0.2, "in 1 s"),
        (45, "in 45 s"),
        (119, "in 119 s"),
        (121, "in 3 min"),
        (3600, "in 60 min"),
        (3601, "at 09:00 UTC, in 1 h 1 min"),
        (43_200, "at 20:00 UTC, in 12 h 0 min"),
    ],
)
def test_when_is_told_as_people_would(left: float, told: str) -> None:
    assert render_time_until("en", 1_800_000_000.0 + left, 1_800_000_000.0, UTC) == told  # 08:00


def test_money_has_cents_and_small_sums_all_their_digits() -> None:
    shown = [render_money(cost) for cost in (0, 1, 20_000, 123_456, 1_234_567, 2_500_000_000)]
    assert shown == ["0.00", "0.000001", "0.02", "0.123456", "1.23", "2,500.00"]
