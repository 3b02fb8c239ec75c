"""What this process tells Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from parley.app.monitoring.loop_lag import LoopLag
from parley.console.api.health import Reports
from parley.console.api.metrics import Metrics, labelled
from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.ports.health import Health, HealthReport


def build_metrics(
    deliveries: DeliveryCounts, reports: Reports, channels: Iterable[str], lag: LoopLag
) -> Metrics:
    """Build the metrics: a figure for each channel from the start on, so that a first event has a rate."""
    names = tuple(channels)
    return lambda: (*_metrics(deliveries, reports, names), *lag.histogram.collect())


def _metrics(deliveries: DeliveryCounts, reports: Reports, channels: Sequence[str]) -> Sequence[Metric]:
    def each(name: str, text: str, counts: Mapping[str, int]) -> Metric:
        values = {channel: counts.get(channel, 0) for channel in channels}
        return labelled(CounterMetricFamily, name, text, "channel", values)

    return (
        labelled(GaugeMetricFamily, "parley_up", "1 when the part is up, else 0.", "part", _up(reports())),
        each(
            "parley_messages_delivered_total",
            "Final messages that the platform has taken.",
            deliveries.arrived,
        ),
        each(
            "parley_messages_refused_total",
            "Final messages that the platform will never take.",
            deliveries.refused,
        ),
        each(
            "parley_duplicates_possible_total",
            "Final messages that may be there twice: the answer to a send was lost, and there is no key.",
            deliveries.doubtful,
        ),
        each("parley_answers_liked_total", "Thumbs up under answers.", deliveries.liked),
        each("parley_answers_disliked_total", "Thumbs down under answers.", deliveries.disliked),
    )


def _up(reports: Sequence[HealthReport]) -> Mapping[str, int]:
    return {report.name: int(report.health in (Health.UP, Health.STANDBY)) for report in reports}
