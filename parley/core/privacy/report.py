"""The receipt: what was exported or erased, kind by kind, and what stays and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum


class DataKind(StrEnum):
    """What is counted."""

    MESSAGES = "messages and turns"
    FACTS = "remembered facts"
    PAST_TURNS = "turns of past conversations"
    TEAM_FACTS = "facts told for teams"
    QUESTIONS = "questions"
    DECISIONS = "decisions on others' questions"
    CONVERSATIONS = "conversations"
    SHARES = "shares in conversations with others"
    HEARD = "messages that were only heard"
    SENT = "answers kept for quotes"
    THREADS = "threads on the agent server"
    AUDIT = "lines of the audit record"
    ACCESS = "pairings, requests and refusals"
    FEEDBACK = "opinions on answers"
    LINKS = "accounts, links and choices"
    USAGE = "counts of use"
    FILES = "files"
    CHANNELS = "things that channels keep"


@dataclass(frozen=True, slots=True)
class DataCount:
    """So many of a kind."""

    kind: DataKind
    number: int


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """`done` is what was exported or erased, `kept` what stays, in sentences. Times are Unix seconds.

    `begun` is when an erasure that was interrupted began, else 0; `unfinished` says that it has to be called
    again, and `kept` then says why.
    """

    person: str
    accounts: tuple[str, ...]
    at: float
    done: tuple[DataCount, ...]
    kept: tuple[str, ...] = ()
    begun: float = 0.0
    unfinished: bool = False

    def lines(self, verb: str) -> Iterable[str]:
        """Return the receipt as text; `verb` is "exported" or "erased"."""
        yield f"Parley: what was {verb} of {self.person}, at {_time(self.at)}"
        yield f"Accounts: {', '.join(self.accounts)}"
        if self.begun:
            yield f"Begun at {_time(self.begun)} and interrupted: what was erased just then is not counted."
        yield ""
        yield from (f"{count.number:8}  {count.kind}" for count in self.done)
        if self.kept:
            yield from ("", "What stays, and why:")
            yield from (f"- {reason}" for reason in self.kept)
        if self.unfinished:
            yield from ("", "Not finished: call it again.")


@dataclass(slots=True)
class PrivacyReportBuilder:
    """A report while it is being made."""

    counts: dict[DataKind, int] = field(default_factory=lambda: dict.fromkeys(DataKind, 0))
    kept: dict[str, None] = field(default_factory=dict)
    unfinished: bool = False

    def add(self, kind: DataKind, number: int = 1) -> None:
        """Count."""
        self.counts[kind] += number

    def keep(self, reason: str) -> None:
        """Note what stays, once."""
        self.kept[reason] = None

    def done(self) -> tuple[DataCount, ...]:
        """Return the counts so far."""
        return tuple(DataCount(kind, number) for kind, number in self.counts.items())


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
