"""The latest steps of an answer, as lines under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parley.core.model.types import Step, StepStatus

MOST_STEPS = 6
_MARKS = {StepStatus.RUNNING: "⏳", StepStatus.DONE: "✓", StepStatus.FAILED: "✗"}


def step_lines(steps: Sequence[Step], title: Callable[[str], str], *, answered: bool) -> list[str]:
    """Return a line for each of the latest steps; none where nothing runs and there is an answer."""
    if answered and all(step.status is not StepStatus.RUNNING for step in steps):
        return []
    return [f"{_MARKS[step.status]} {title(step.title)}" for step in steps[-MOST_STEPS:]]
