"""What the metrics of a small Parley are taken from."""

from __future__ import annotations

from collections.abc import Sequence

from parley.app.monitoring.loop_lag import LoopLag
from parley.app.monitoring.metrics import MetricSources
from parley.app.monitoring.turn_metrics import TurnMetrics
from parley.core.delivery.delivery_counts import DeliveryCounts
from parley.core.ports.health import HealthReport
from tests.kit.doubles.console_server import UP


def metric_sources(
    *channels: str,
    deliveries: DeliveryCounts | None = None,
    reports: Sequence[HealthReport] = (UP,),
    turns: TurnMetrics | None = None,
) -> MetricSources:
    return MetricSources(
        deliveries or DeliveryCounts(),
        lambda: reports,
        channels,
        LoopLag(),
        turns or TurnMetrics(channels, {}, "USD"),
        lambda: 3,
        2000,
    )
