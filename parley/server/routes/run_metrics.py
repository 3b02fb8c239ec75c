"""Figures of the server's runs, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from parley.server.runs.manager import RunManager


def render_metrics(runs: RunManager) -> tuple[bytes, str]:
    """Return the figures as Prometheus reads them, and their content type."""
    registry = CollectorRegistry()
    registry.register(_RunFigures(runs))
    ProcessCollector(registry=registry)
    return generate_latest(registry), CONTENT_TYPE_PLAIN_0_0_4


class _RunFigures(Collector):
    def __init__(self, runs: RunManager) -> None:
        self._runs = runs

    def collect(self) -> Iterable[Metric]:
        active = self._runs.lanes.active()
        running = sum(run.row.status == "running" for run in active)
        waiting = len(active) - running
        scheduled = len(self._runs.lanes.scheduled())
        yield GaugeMetricFamily("lg_api_num_running_runs", "Runs that are executed.", running)
        yield GaugeMetricFamily("lg_api_num_pending_runs", "Runs that wait for their thread.", waiting)
        yield GaugeMetricFamily("parley_agent_scheduled_runs", "Runs whose time has not come.", scheduled)
        ended = CounterMetricFamily(
            "parley_agent_ended_runs", "Runs that have ended since the start.", labels=["status"]
        )
        for status in ("success", "interrupted", "error"):
            ended.add_metric([status], self._runs.ended[status])
        yield ended
