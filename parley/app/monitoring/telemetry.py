"""Who is told of messages and turns: the metrics always, the traces where there is somewhere to send them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from parley.app.extras import require_extra
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.app.settings.schema.tracing import TracingSection
from parley.core.ports.sending import Priority
from parley.core.ports.telemetry import AcceptedMessage, Telemetry, TurnReport


class MetricsAndTraces:
    """Tells both. What has no span only counts."""

    def __init__(self, metrics: TurnMetrics, traces: Telemetry) -> None:
        self._metrics = metrics
        self._traces = traces
        self.trace_parent = traces.trace_parent

    def message_accepted(self, message: AcceptedMessage) -> None:
        self._metrics.message_accepted(message)
        self._traces.message_accepted(message)

    def run_ended(self, turn: TurnReport) -> None:
        self._metrics.run_ended(turn)
        self._traces.run_ended(turn)

    def turn_ended(self, turn: TurnReport) -> None:
        self._metrics.turn_ended(turn)
        self._traces.turn_ended(turn)

    def platform_waited(self, channel: str, priority: Priority, seconds: float) -> None:
        self._metrics.platform_waited(channel, priority, seconds)

    def lesson_learned(self, seconds: float) -> None:
        self._metrics.lesson_learned(seconds)


@asynccontextmanager
async def open_telemetry(
    section: TracingSection, metrics: TurnMetrics, turn_id: Callable[[int], str]
) -> AsyncIterator[Telemetry]:
    """Yield whom to tell. Raises ConfigError where traces are wanted and OpenTelemetry is not installed."""
    if not section.endpoint:
        yield metrics
        return
    # OpenTelemetry takes a sixth of a second to load: only who traces pays.
    with require_extra("tracing", "tracing.endpoint"):
        from parley.app.monitoring.tracing import open_traces
    async with open_traces(section, turn_id) as traces:
        yield MetricsAndTraces(metrics, traces)
