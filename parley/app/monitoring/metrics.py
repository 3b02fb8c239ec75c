"""What this process tells Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from prometheus_client import ProcessCollector
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from parley.app.monitoring.loop_lag import LoopLag
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.console.api.health import Reports
from parley.console.api.metrics import Metrics, labelled
from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.health import Health, HealthReport
from parley.store.interface import Store
from parley.version import VERSION


@dataclass(frozen=True, slots=True)
class MetricSources:
    """Where the figures come from. `under_way` tells how many turns are worked on, of `most_turns`."""

    deliveries: DeliveryCounts
    reports: Reports
    channels: Iterable[str]
    lag: LoopLag
    turns: TurnMetrics
    under_way: Callable[[], int]
    most_turns: int


def build_metrics(sources: MetricSources) -> Metrics:
    """Build the metrics: a figure for each channel from the start on, so that a first event has a rate."""
    process = ProcessCollector(registry=None)
    build = labelled(
        GaugeMetricFamily, "parley_build_info", "The version that runs.", "version", {VERSION: 1}
    )
    return lambda: (
        build,
        *_counts(sources.deliveries, sources.reports, tuple(sources.channels)),
        *_turns(sources),
        *sources.turns.collect(),
        *sources.lag.histogram.collect(),
        *process.collect(),
    )


async def backlog_metrics(store: Store) -> Sequence[Metric]:
    """Return what waits in the queues, or nothing while the store cannot be asked."""
    try:
        found = await store.backlog()
    except StoreUnavailable:
        return ()
    lanes = GaugeMetricFamily(
        "parley_queue_waiting",
        "Conversations (memory: people) whose work is due and that nobody works on.",
        labels=["queue", "channel"],
    )
    oldest = GaugeMetricFamily(
        "parley_queue_oldest_seconds",
        "For how long the first of them has waited.",
        labels=["queue", "channel"],
    )
    for name, each in found.items():
        queue, _, channel = name.partition("/")
        lanes.add_metric([queue, channel], each.lanes)
        oldest.add_metric([queue, channel], each.oldest)
    return lanes, oldest


def _turns(sources: MetricSources) -> Iterable[Metric]:
    yield GaugeMetricFamily(
        "parley_turns_under_way", "Turns that this process works on.", value=sources.under_way()
    )
    yield GaugeMetricFamily(
        "parley_turns_limit", "manager.max_turns: beyond it further turns wait.", value=sources.most_turns
    )


def _counts(deliveries: DeliveryCounts, reports: Reports, channels: Sequence[str]) -> Sequence[Metric]:
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
        each(
            "parley_calls_cut_total",
            "Calls for a reply that were broken off because this node's lease ended.",
            deliveries.cut,
        ),
        each(
            "parley_answers_rewritten_total",
            "Answers that were written once more, as an earlier node's call may have come late.",
            deliveries.rewritten,
        ),
        each("parley_answers_liked_total", "Thumbs up under answers.", deliveries.liked),
        each("parley_answers_disliked_total", "Thumbs down under answers.", deliveries.disliked),
    )


def _up(reports: Sequence[HealthReport]) -> Mapping[str, int]:
    return {report.name: int(report.health in (Health.UP, Health.STANDBY)) for report in reports}
