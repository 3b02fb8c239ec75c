"""The counts of a person's use: what limits and /usage look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from parley.core.limits.rules import (
    LimitSubject,
    LimitWindow,
    kept_hours,
    refusal_counter,
    warning_counter,
)
from parley.core.model.address import Conversation
from parley.core.model.limits import LimitMeasure, LimitScope
from parley.core.privacy.data_subject import DataSubject


def counter_prefixes(subject: DataSubject, private: Iterable[str], now: float) -> Iterator[str]:
    """Yield how the names of their counts begin, and of those of the conversations that are theirs alone."""
    ever = LimitWindow("", 0.0, kept_hours(now))
    yield from LimitSubject("", subject.accounts, "", "").names(LimitScope.PERSON, ever)
    for account in subject.accounts:
        yield refusal_counter(account)
    for measure in LimitMeasure:
        yield warning_counter(LimitScope.PERSON, measure, subject.person)
    for chat in {replace(Conversation.parse(key), topic=None).key for key in private}:
        yield from LimitSubject("", (), chat, "").names(LimitScope.CHAT, ever)
        for measure in LimitMeasure:
            yield warning_counter(LimitScope.CHAT, measure, chat)
