"""The latest steps of an answer, as lines under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parley.core.model.types import Step, StepStatus

MOST_STEPS = 6
MOST_PENDING = 2
"""Of the tasks that are to come, so many are shown at least: more only where there is room."""
_MARKS = {
    StepStatus.PENDING: "○",
    StepStatus.RUNNING: "⏳",
    StepStatus.DONE: "✓",
    StepStatus.FAILED: "✗",
}


def step_lines(steps: Sequence[Step], title: Callable[[str], str], *, answered: bool) -> list[str]:
    """Return a line for each of the latest steps; none where nothing runs and there is an answer."""
    if answered and all(step.status is not StepStatus.RUNNING for step in steps):
        return []
    return [f"{_MARKS[step.status]} {title(step.title)}" for step in _latest(steps)]


def _latest(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps that there is room for: those around what is done now."""
    begun = max((at for at, step in enumerate(steps, 1) if step.status is not StepStatus.PENDING), default=0)
    end = min(len(steps), max(begun + MOST_PENDING, MOST_STEPS))
    return steps[max(0, end - MOST_STEPS) : end]
