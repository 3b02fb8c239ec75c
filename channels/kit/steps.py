"""The latest steps of an answer, as lines under it (pure)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parley.core.model.types import Step, StepStatus

MOST_STEPS = 6
MOST_PENDING = 2
"""Of the tasks that are to come, so many are shown at least: more only where there is room."""
_MOST_SAID = 80
"""Characters of what a running step says; more is looked at where blanks are left out."""
_MARKS = {
    StepStatus.PENDING: "○",
    StepStatus.RUNNING: "⏳",
    StepStatus.DONE: "✓",
    StepStatus.FAILED: "✗",
}


def step_lines(steps: Sequence[Step], title: Callable[[str], str], *, answered: bool) -> list[str]:
    """Return a line for each of the latest steps; none where nothing runs and there is an answer.

    That of a step which runs ends with the newest of its output.
    """
    if answered and all(step.status is not StepStatus.RUNNING for step in steps):
        return []
    return [f"{_MARKS[step.status]} {title(_named(step))}" for step in _latest(steps)]


def _named(step: Step) -> str:
    if step.status is not StepStatus.RUNNING or not (said := _newest(step.output)):
        return step.title
    return f"{step.title} · {said}"


def _newest(output: str) -> str:
    """Return the end of the last line, from a whole word on where there is one."""
    line = " ".join(output.rstrip()[-2 * _MOST_SAID :].rpartition("\n")[2].split())
    if len(line) < _MOST_SAID:
        return line
    end = line[1 - _MOST_SAID :]
    return f"…{end.partition(' ')[2] or end}"


def _latest(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps that there is room for: those around what is done now."""
    begun = max((at for at, step in enumerate(steps, 1) if step.status is not StepStatus.PENDING), default=0)
    end = min(len(steps), max(begun + MOST_PENDING, MOST_STEPS))
    return steps[max(0, end - MOST_STEPS) : end]
