"""The counts of a person's use: what limits and /usage look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from parley.core.erasing.subject import Subject
from parley.core.limits import Measure, Party, Scope, Window, account_count, refusal_count, warning_count
from parley.core.types import Conversation

_ANY = Window("", 0.0)


def names_of(subject: Subject, private: Iterable[str]) -> Iterator[str]:
    """How the names of their counts begin, and of those of the conversations that are theirs alone."""
    for account in subject.accounts:
        yield account_count(account)
        yield refusal_count(account)
    for measure in Measure:
        yield warning_count(Scope.PERSON, measure, subject.person)
    for chat in {replace(Conversation.parse(key), topic=None).key for key in private}:
        yield from Party("", (), chat, "").names(Scope.CHAT, _ANY)
        for measure in Measure:
            yield warning_count(Scope.CHAT, measure, chat)
