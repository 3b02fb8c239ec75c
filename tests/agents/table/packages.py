"""Rows about agents that other packages build, as they are."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.model.types import Outcome
from tests.agents.rows import Row, Turn

_REPORT = b"# Report\n\nAll is well.\n"

ROWS: Sequence[Row] = (
    Row(
        "packages.deep_report",
        (
            Turn(
                "write it",
                "I write it down.\n\nThe report is in `/report.md`.",
                grows=True,
                steps=("Write file",),
                files={"report.md": _REPORT},
            ),
            Turn("where is it?", "As I said: /report.md has it all."),
        ),
    ),
    Row("packages.deep_expert", (Turn("what is it?", "My expert says: It is 42."),)),
    Row(
        "packages.deep_approval",
        (
            Turn(
                "send it",
                "The report is in `/report.md`. Shall I send it?",
                Outcome.ASKED,
                files={"report.md": _REPORT},
                questions=("send_report [Approve|Reject]",),
            ),
            Turn(answers={"send_report": "Approve"}, text="Done with /report.md: sent to Bob."),
        ),
    ),
    Row(
        "packages.real_supervisor",
        (Turn("hello", "It is 42.\n\nThe expert says 42.", never=("Transferring",)),),
    ),
    Row(
        "packages.real_swarm",
        (
            Turn("hello", "alice here."),
            Turn("hand over", "bob here."),
            Turn("hello again", "bob here."),
        ),
    ),
)
