"""Turns as those who watch from outside are told of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from parley.core.model.usage import TokenUsage
from parley.core.ports.telemetry import Period, TurnReport

TURN = "3f0c9a52d1b84e6f8a7be2d94c5160aa"
BEGAN = 1_764_000_000.0


def report(**changes: Any) -> TurnReport:  # noqa: ANN401 - field values of TurnReport
    """A turn that waited a second, ran for four, and was delivered in half of one."""
    made = TurnReport(
        TURN,
        "web",
        BEGAN,
        Period(BEGAN + 1, 4.75),
        "answered",
        "delivered",
        assistant="agent",
        thread="thread-1",
        run_id="run-1",
        run=Period(BEGAN + 1.25, 4),
        first_text=2.5,
        delivery=Period(BEGAN + 5.25, 0.5),
        usage=(TokenUsage("gpt-5-mini", 1000, 200),),
    )
    return replace(made, **changes)
