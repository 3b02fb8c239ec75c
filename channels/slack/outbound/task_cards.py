"""The task cards of one growing message: what of the steps is new, within the room that cards have. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from parley.channels.kit.text import byte_length, end_within
from parley.channels.slack.formatting import MAX_CARDS_BYTES
from parley.core.model.types import JsonObject, Step, StepStatus

MOST_CARDS = 50
MOST_TITLE = 250
"""Bytes of one title. Slack documents 256 characters."""
_LAST = "parley_latest"
"""The id of the card that shows the latest of the steps for which there is no room."""
_STATES = {StepStatus.RUNNING: "in_progress", StepStatus.DONE: "complete", StepStatus.FAILED: "error"}


class TaskCards:
    """Which cards a message shows. A step keeps its card; those beyond the room share the last one."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._own: set[str] = set()
        self._bytes = 0

    def begin_message(self) -> None:
        """Go on in a new message, which repeats no card that has not changed."""
        self._own, self._bytes = set(), 0

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
        return list(chunks.values())

    def forget_told(self) -> None:
        """Tell all of it again, where nobody knows what arrived."""
        self._told.clear()

    def _has_card(self, step: str, size: int) -> bool:
        if step in self._own:
            return True
        if len(self._own) + 1 >= MOST_CARDS or self._bytes + size + MOST_TITLE > MAX_CARDS_BYTES:
            return False
        self._own.add(step)
        self._bytes += size
        return True


def _title(step: Step) -> str:
    return step.title[: end_within(step.title, 0, MOST_TITLE, byte_length)]
