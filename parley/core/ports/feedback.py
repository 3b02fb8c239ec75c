"""The ports to what has feedback: services that are told of it, and the index of when people said it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from parley.core.model.feedback import Feedback
from parley.core.ports.journal import Document

NEWEST_FEEDBACK = (math.inf, "")
"""Before it is all feedback."""


class FeedbackDestination(Protocol):
    """A service that takes feedback. Told of the same answer by the same person again, it keeps the last."""

    name: str

    async def deliver(self, feedback: Feedback) -> None:
        """Return once the service has it. Raises FeedbackUndelivered."""
        ...


@runtime_checkable
class FeedbackIndex(Protocol):
    """What finds feedback by its time without reading the rest of it."""

    async def feedback_before(
        self, before: tuple[float, str] = NEWEST_FEEDBACK, since: float = 0.0, limit: int = 1000
    ) -> Sequence[tuple[float, Document]]:
        """Return documents of feedback since a time, newest first, each with its time (Unix seconds).

        The next page is what comes before the last one's time and key. A document without a time is left out.
        Raises StoreUnavailable.
        """
        ...
