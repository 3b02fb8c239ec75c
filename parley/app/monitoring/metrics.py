"""What this process tells Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parley.app.monitoring.loop_lag import LoopLag
from parley.console.api.health import Reports
from parley.console.api.metrics import Metric, Metrics
from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.ports.health import Health, HealthReport


def build_metrics(
    deliveries: DeliveryCounts, reports: Reports, channels: Iterable[str], lag: LoopLag
) -> Metrics:
    """Build the metrics: a figure for each channel from the start on, so that a first event has a rate."""
    names = tuple(channels)
    return lambda: (*_metrics(deliveries, reports, names), lag.metric())


def _metrics(deliveries: DeliveryCounts, reports: Reports, channels: Sequence[str]) -> Sequence[Metric]:
    def each(counts: Mapping[str, int]) -> Mapping[str, int]:
        return {name: counts.get(name, 0) for name in channels}

    return (
        Metric("parley_up", "gauge", "1 when the part is up, else 0.", "part", _up(reports())),
        Metric(
            "parley_messages_delivered_total",
            "counter",
            "Final messages that the platform has taken.",
            "channel",
            each(deliveries.arrived),
        ),
        Metric(
            "parley_messages_refused_total",
            "counter",
            "Final messages that the platform will never take.",
            "channel",
            each(deliveries.refused),
        ),
        Metric(
            "parley_duplicates_possible_total",
            "counter",
            "Final messages that may be there twice: the answer to a send was lost, and there is no key.",
            "channel",
            each(deliveries.doubtful),
        ),
    )


def _up(reports: Sequence[HealthReport]) -> Mapping[str, int]:
    return {report.name: int(report.health in (Health.UP, Health.STANDBY)) for report in reports}
