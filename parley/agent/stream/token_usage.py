"""What a run's models took, as their messages tell it (pure)."""

from __future__ import annotations

from parley.agent.stream.messages import MessageKind, ThreadMessage
from parley.agent.stream.thread_values import ThreadValues
from parley.core.model.usage import TokenUsage


class TokenMeter:
    """Tokens by message, so that one that is heard twice counts once; those without an id are left out."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int]] = {}
        self._models: dict[str, str] = {}

    def heard(self, message: ThreadMessage, append: bool) -> None:
        """Take note of a message, or of a piece that adds to it."""
        for spent in message.spent:
            self.heard(spent, append=False)
        if message.kind is not MessageKind.ASSISTANT or not message.id:
            return
        if message.model:
            self._models[message.id] = message.model
        if message.tokens is not None:
            before = self._counts.get(message.id, (0, 0)) if append else (0, 0)
            self._counts[message.id] = (before[0] + message.tokens[0], before[1] + message.tokens[1])

    def read(self, thread: ThreadValues) -> None:
        """Take note of what a thread's values have of the turn."""
        for message in thread.messages(concluded=True):
            self.heard(message, append=False)

    def total(self) -> tuple[TokenUsage, ...]:
        """All of it, by model."""
        totals: dict[str, TokenUsage] = {}
        for message, (read_, written) in self._counts.items():
            model = self._models.get(message, "")
            before = totals.get(model, TokenUsage(model, 0, 0))
            totals[model] = TokenUsage(model, before.input + read_, before.output + written)
        return tuple(each for each in totals.values() if each.input or each.output)
