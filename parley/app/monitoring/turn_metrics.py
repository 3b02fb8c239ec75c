"""Figures of messages and turns for Prometheus. Labels have few values: never a person, a chat or a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from prometheus_client import Counter, Histogram
from prometheus_client.metrics_core import Metric

from parley.core.model.usage import MILLION, TokenPrice, TokenUsage, price_tokens
from parley.core.ports.sending import Priority
from parley.core.ports.telemetry import Acceptance, AcceptedMessage, NoTelemetry, TurnReport

_SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_LONG = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0)
_MOST_NAMES = 50
_LONGEST_NAME = 100
_OTHER = "other"
_DELIVERED = "delivered"


class TurnMetrics(NoTelemetry):
    """Counts what it is told, for as long as the process lives.

    An observation carries its turn's id as an exemplar: OpenMetrics scrapes lead from a bucket to a trace.
    Models and assistants are named by servers: after fifty pairs every further one is "other".
    """

    def __init__(self, channels: Iterable[str], prices: Mapping[str, TokenPrice], currency: str) -> None:
        def histogram(name: str, about: str, bounds: Sequence[float], *labels: str) -> Histogram:
            return Histogram(f"parley_{name}_seconds", about, labels, buckets=bounds, registry=None)

        self._names: set[tuple[str, str]] = set()
        self._accept = histogram(
            "accept", "From the platform's event to the durable message.", _SHORT, "channel", "became"
        )
        self._wait = histogram("turn_wait", "From the durable message to its turn's work.", _LONG, "channel")
        self._run = histogram("run", "The agent's part of a turn.", _LONG, "channel", "outcome")
        self._first = histogram(
            "first_text", "From the durable message to the first words of its answer.", _LONG, "channel"
        )
        self._delivery = histogram(
            "delivery", "From the whole answer to the platform's receipt for it.", _LONG, "channel", "end"
        )
        self._turn = histogram(
            "turn", "From the durable message to the end of its turn.", _LONG, "channel", "outcome"
        )
        self._platform = histogram(
            "platform_wait", "Sent later because of a platform's rate limit.", _LONG, "channel", "kind"
        )
        self._memory = histogram("memory_lag", "From a delivered answer to what memory learned.", _LONG)
        self._store = histogram("store_write", "A synced write of the store, made every ten seconds.", _SHORT)
        self._tokens = Counter(
            "parley_tokens", "Tokens of runs.", ("direction", "model", "assistant"), registry=None
        )
        self._cost = Counter(
            "parley_cost", "Cost of tokens with a price.", ("currency", "model", "assistant"), registry=None
        )
        self.configure(channels, prices, currency)

    def configure(self, channels: Iterable[str], prices: Mapping[str, TokenPrice], currency: str) -> None:
        """Count for these channels, and by these prices, from now on."""
        self._prices, self._currency = prices, currency
        for channel in channels:
            self._prepare(channel)

    def _prepare(self, channel: str) -> None:
        """Let each of a channel's usual figures be there from the start, so that a first event has a rate."""
        for became in (Acceptance.TURN, Acceptance.COMMAND):
            self._accept.labels(channel, became.value)
        for each in (self._wait, self._first):
            each.labels(channel)
        for each, outcome in product((self._run, self._turn), ("answered", "failed")):
            each.labels(channel, outcome)
        self._delivery.labels(channel, _DELIVERED)
        for priority in Priority:
            self._platform.labels(channel, priority.name.lower())

    def note_store_write(self, seconds: float) -> None:
        """Note how long the store took for a synced write."""
        self._store.observe(seconds)

    def collect(self) -> list[Metric]:
        """Return all figures; those of costs where there are prices."""
        measures = [
            self._accept,
            self._wait,
            self._run,
            self._first,
            self._delivery,
            self._turn,
            self._platform,
            self._memory,
            self._store,
            self._tokens,
            *([self._cost] if self._prices else []),
        ]
        return [metric for each in measures for metric in each.collect()]

    def message_accepted(self, message: AcceptedMessage) -> None:
        self._accept.labels(message.channel, message.became.value).observe(message.period.seconds)

    def run_ended(self, turn: TurnReport) -> None:
        exemplar = {"trace_id": turn.turn}
        self._wait.labels(turn.channel).observe(max(0.0, turn.worked.began - turn.accepted), exemplar)
        if turn.run is not None:
            self._run.labels(turn.channel, turn.outcome).observe(turn.run.seconds, exemplar)
        if turn.first_text is not None:
            self._first.labels(turn.channel).observe(turn.first_text, exemplar)
        for each in turn.usage:
            self._count_tokens(each, turn.assistant)

    def turn_ended(self, turn: TurnReport) -> None:
        exemplar = {"trace_id": turn.turn}
        if turn.delivery is not None:
            self._delivery.labels(turn.channel, turn.end).observe(turn.delivery.seconds, exemplar)
        seconds = max(0.0, turn.worked.ended - turn.accepted)
        self._turn.labels(turn.channel, turn.outcome).observe(seconds, exemplar)

    def platform_waited(self, channel: str, priority: Priority, seconds: float) -> None:
        self._platform.labels(channel, priority.name.lower()).observe(seconds)

    def lesson_learned(self, seconds: float) -> None:
        self._memory.observe(seconds)

    def _count_tokens(self, usage: TokenUsage, assistant: str) -> None:
        names = (usage.model[:_LONGEST_NAME], assistant[:_LONGEST_NAME])
        if names not in self._names:
            if len(self._names) >= _MOST_NAMES:
                names = (_OTHER, _OTHER)
            self._names.add(names)
        self._tokens.labels("in", *names).inc(usage.input)
        self._tokens.labels("out", *names).inc(usage.output)
        if self._prices and (cost := price_tokens([usage], self._prices).cost):
            self._cost.labels(self._currency, *names).inc(cost / MILLION)
