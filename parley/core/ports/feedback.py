"""The port to services that are told what people think of answers."""

from __future__ import annotations

from typing import Protocol

from parley.core.model.feedback import Feedback


class FeedbackDestination(Protocol):
    """A service that takes feedback. Told of the same answer by the same person again, it keeps the last."""

    name: str

    async def deliver(self, feedback: Feedback) -> None:
        """Return once the service has it. Raises FeedbackUndelivered."""
        ...
