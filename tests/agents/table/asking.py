"""Rows about graphs that ask."""

from __future__ import annotations

from collections.abc import Sequence

from parley.core.model.types import Outcome
from tests.agents.rows import Row, Turn

_ASKED = Outcome.ASKED

ROWS: Sequence[Row] = (
    Row(
        "asking.parallel",
        (
            Turn("go", outcome=_ASKED, questions=("Budget? [low|high]", "Which city?")),
            Turn(answers={"Budget?": "high", "Which city?": "Paris"}, text="got budget='high' city='Paris'"),
        ),
    ),
    Row(
        "asking.sequential",
        (
            Turn("go", outcome=_ASKED, questions=("Your name?",)),
            Turn(answers={"Your name?": "Ada"}, outcome=_ASKED, questions=("And your age, Ada?",)),
            Turn(
                answers={"And your age, Ada?": "many"},
                outcome=_ASKED,
                questions=("many is no number. Your age?",),
            ),
            Turn(answers={"many is no number. Your age?": "36"}, text="Ada is 36"),
        ),
    ),
    Row(
        "asking.labelled",
        (
            Turn("go", outcome=_ASKED, questions=("Sure? [Yes, sure|Never]",)),
            Turn(answers={"Sure?": "Yes, sure"}, text="chosen True"),
        ),
    ),
    Row(
        "asking.in_subgraph",
        (
            Turn("go", outcome=_ASKED, questions=("From inside?",)),
            Turn(answers={"From inside?": "words"}, text="the inner one heard words"),
        ),
    ),
    Row(
        "asking.asking_tool",
        (
            Turn("go", outcome=_ASKED, questions=("Red or blue?",)),
            Turn(answers={"Red or blue?": "green"}, text="You said green."),
        ),
    ),
    Row(
        "asking.breakpoint_before",
        (
            Turn("go", "Prepared.", outcome=_ASKED, questions=("publish [Approve|Reject]",)),
            Turn(answers={"publish": "Approve"}, text="Published."),
        ),
        # Aegra 0.6 takes no run without an input or a command (HTTP 422): a breakpoint stays where it is.
        cannot={"aegra": (Turn("go", "Prepared.", outcome=_ASKED, questions=("publish [Approve|Reject]",)),)},
    ),
    Row(
        "asking.approvals",
        (
            Turn(
                "go",
                "I will do both.",
                outcome=_ASKED,
                questions=("send_email [Approve|Reject]", "delete_file [Approve|Reject]"),
            ),
            Turn(
                answers={"send_email": "Approve", "delete_file": "keep it"},
                text="Results: ...",
            ),
        ),
    ),
)
