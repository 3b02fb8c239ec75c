"""What was found, for a terminal and for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from parley.app.doctor.result import CheckResult, ProbeStatus
from parley.core.model.types import Json
from parley.version import VERSION

FORMAT = 1
"""The version of the JSON's shape: fields may be added to it, none is renamed or removed."""
GOOD, FINDINGS, UNUSABLE = 0, 1, 2
_OUTCOMES = {GOOD: "good", FINDINGS: "findings", UNUSABLE: "unusable"}
_WORDS = {
    ProbeStatus.OK: "ok",
    ProbeStatus.REMARK: "remark",
    ProbeStatus.FAILED: "FAILED",
    ProbeStatus.SKIPPED: "skipped",
}
_NAMES = 32
_LONGEST = 500


def show_result(result: CheckResult, origin: str) -> Iterator[str]:
    """Yield one line for what works, and up to three for what does not: what, where, remedy."""
    took = f" ({result.seconds:.1f} s)" if result.seconds >= 1 else ""
    yield f"{_WORDS[result.status]:8}{result.name:{_NAMES}}{_one_line(result.text)}{took}"
    if result.status not in (ProbeStatus.FAILED, ProbeStatus.REMARK):
        return
    if result.place:
        line = f"{origin}:{result.line}: " if result.line else ""
        yield f"{'':8}where:  {line}{_one_line(result.place)}"
    if result.remedy:
        yield f"{'':8}remedy: {_one_line(result.remedy)}"


def show_count(results: Sequence[CheckResult]) -> str:
    """Return the last line."""
    failures = sum(each.status is ProbeStatus.FAILED for each in results)
    remarks = sum(each.status is ProbeStatus.REMARK for each in results)
    beside = f", {remarks} remark{'s' * (remarks > 1)}" if remarks else ""
    return f"{failures} finding{'s' * (failures > 1)}{beside}." if failures else f"All good{beside}."


def exit_code(results: Sequence[CheckResult]) -> int:
    """Return 0 where nothing failed, else 1."""
    return FINDINGS if any(each.status is ProbeStatus.FAILED for each in results) else GOOD


def to_json(results: Sequence[CheckResult], code: int, at: float) -> str:
    """Return all results as one JSON object."""
    return json.dumps(describe_report([describe_result(each) for each in results], code, at), indent=2)


def describe_report(checks: Sequence[Json], code: int, at: float) -> dict[str, Json]:
    """Return the object around the results."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "at": at,
        "outcome": _OUTCOMES[code],
        "checks": list(checks),
    }


def describe_result(result: CheckResult) -> dict[str, Json]:
    """Return a result as JSON."""
    return {
        "name": result.name,
        "status": result.status.value,
        "text": _one_line(result.text),
        "remedy": result.remedy,
        "place": result.place,
        "line": result.line,
        "seconds": round(result.seconds, 3),
    }


def _one_line(text: str) -> str:
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in " ".join(shown.split())
    )
