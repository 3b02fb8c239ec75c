"""One thing that was proved, or was not, and what to do about it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from parley.app.checks.findings import Findings
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.problems import ConfigProblem, format_path


class ProbeStatus(StrEnum):
    """How something is."""

    OK = "ok"
    REMARK = "remark"
    """It works; something about it should be known."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """It was not tried, for the reason in the text."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of one probe: `name` is stable, `text` is for people.

    `place` is the key of the configuration that it comes from, `line` that key's line (0: unknown). `plain`
    says that the text consists of our own words, versions and numbers: it may go into a support bundle.
    """

    name: str
    status: ProbeStatus
    text: str
    remedy: str = ""
    place: str = ""
    line: int = 0
    seconds: float = 0.0
    plain: bool = False


def succeeded(name: str, text: str, since: float | None = None, *, plain: bool = False) -> CheckResult:
    """Return that something works; `since` is when it was begun, on the monotonic clock."""
    seconds = 0.0 if since is None else time.monotonic() - since
    return CheckResult(name, ProbeStatus.OK, text, seconds=seconds, plain=plain)


def failed(name: str, text: str, remedy: str, place: str = "", *, plain: bool = False) -> CheckResult:
    """Return that something does not work, and its remedy."""
    return CheckResult(name, ProbeStatus.FAILED, text, remedy, place, plain=plain)


def remarked(name: str, text: str, remedy: str, place: str = "", *, plain: bool = False) -> CheckResult:
    """Return that something works, and what should be known about it."""
    return CheckResult(name, ProbeStatus.REMARK, text, remedy, place, plain=plain)


def skipped(name: str, why: str) -> CheckResult:
    """Return that something was not tried."""
    return CheckResult(name, ProbeStatus.SKIPPED, why, plain=True)


def from_findings(
    loaded: LoadedSettings, name: str, found: Findings, since: float | None = None
) -> Iterator[CheckResult]:
    """Yield what a check found, under one name."""
    seconds = 0.0 if since is None else time.monotonic() - since
    for text in found.known:
        yield CheckResult(name, ProbeStatus.OK, text, seconds=seconds)
    yield from _translated(loaded, name, ProbeStatus.REMARK, found.remarks)
    yield from _translated(loaded, name, ProbeStatus.FAILED, found.mistakes)


def _translated(
    loaded: LoadedSettings, name: str, status: ProbeStatus, problems: Iterable[ConfigProblem]
) -> Iterator[CheckResult]:
    for each in problems:
        # A problem's line is written as: what is wrong; what to do.
        text, _, remedy = each.text.partition("; ")
        place = ", ".join(format_path(path) for path in (each.path, *each.also) if path)
        known = remedy or (f"correct {place} in {loaded.origin}" if place else "")
        yield CheckResult(name, status, text, known, place, each.line)
