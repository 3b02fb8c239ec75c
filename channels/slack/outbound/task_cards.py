"""The task cards of one growing message: what of the steps is new, within the room that cards have. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parley.channels.kit.text import byte_length, end_within
from parley.channels.slack.formatting import MAX_CARDS_BYTES
from parley.core.model.types import JsonObject, Step, StepStatus
from parley.core.texts import Sentence, language_of, say

PLAN = "plan"
"""Slack's name for cards that stand together, under a title."""
MOST_CARDS = 50
MOST_TITLE = 250
"""Bytes of one title. Slack documents 256 characters."""
_LAST = "parley_latest"
"""The id of the card that shows the latest of the steps for which there is no room."""
_STATES = {StepStatus.RUNNING: "in_progress", StepStatus.DONE: "complete", StepStatus.FAILED: "error"}


class TaskCards:
    """Which cards a message shows. A step keeps its card; those beyond the room share the last one.

    With `plan` the cards stand together under a title: the latest step's, and in the end what `plan` says of
    so many steps.
    """

    def __init__(self, plan: Callable[[int], str] | None = None) -> None:
        self._plan = plan
        self._title = ""
        self._told: dict[str, str] = {}
        self._own: set[str] = set()
        self._bytes = 0

    def begin_message(self) -> None:
        """Go on in a new message, which repeats no card that has not changed."""
        self._own, self._bytes = set(), MOST_TITLE if self._plan else 0
        self._title = ""

    def updates(self, steps: Sequence[Step], *, closed: bool) -> list[JsonObject]:
        """Return chunks for what changed; in a `closed` message nothing is left running."""
        chunks: dict[str, JsonObject] = {}
        for step in steps:
            running = closed and step.status is StepStatus.RUNNING
            state = "complete" if running else _STATES[step.status]
            if self._told.get(step.id) == state:
                continue
            self._told[step.id] = state
            title = _title(step)
            card = step.id if self._has_card(step.id, byte_length(title)) else _LAST
            chunks[card] = {"type": "task_update", "id": card, "title": title, "status": state}
        return [*self._plan_updates(steps, closed=closed), *chunks.values()]

    def forget_told(self) -> None:
        """Tell all of it again, where nobody knows what arrived."""
        self._told.clear()
        self._title = ""

    def _plan_updates(self, steps: Sequence[Step], *, closed: bool) -> list[JsonObject]:
        """Return a chunk for another title, where there are cards that it can stand above."""
        if self._plan is None or not self._own or not steps:
            return []
        title = _cut(self._plan(len(steps))) if closed else _title(steps[-1])
        if title == self._title:
            return []
        self._title = title
        return [{"type": "plan_update", "title": title}]

    def _has_card(self, step: str, size: int) -> bool:
        if step in self._own:
            return True
        if len(self._own) + 1 >= MOST_CARDS or self._bytes + size + MOST_TITLE > MAX_CARDS_BYTES:
            return False
        self._own.add(step)
        self._bytes += size
        return True


def plan_title(language: str) -> Callable[[int], str]:
    """Return what a plan of so many steps is called in the end."""
    return lambda count: say(language_of(language), Sentence.STEPS_DONE, count=count)


def _title(step: Step) -> str:
    return _cut(step.title)


def _cut(title: str) -> str:
    return title[: end_within(title, 0, MOST_TITLE, byte_length)]
