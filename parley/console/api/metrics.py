"""`/metrics`: what Prometheus scrapes, in its text format 0.0.4."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from prometheus_client import disable_created_metrics, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Metrics = Callable[[], Sequence[Metric]]
MetricSource = Callable[[], Awaitable[Sequence[Metric]]]

disable_created_metrics()  # type: ignore[no-untyped-call]  # a gauge for each histogram that nobody needs


class _Scrape(Collector):
    """The figures of one scrape, as the library's formatter takes them."""

    def __init__(self, figures: Iterable[Metric]) -> None:
        self._figures = figures

    def collect(self) -> Iterable[Metric]:
        return self._figures


def metrics_route(metrics: Metrics, *asked: MetricSource) -> Route:
    """The route; it is behind the token where there is one. `asked` are figures that have to be looked up."""

    async def scrape(request: Request) -> Response:
        figures = [*metrics()]
        for each in asked:
            figures += await each()
        return Response(generate_latest(_Scrape(figures)), media_type=_TYPE)

    return Route("/metrics", scrape)


def labelled(
    family: type[GaugeMetricFamily] | type[CounterMetricFamily],
    name: str,
    text: str,
    label: str,
    values: Mapping[str, int],
) -> Metric:
    """Return a figure for each value of one label. Counters are of this process, and begin anew with it."""
    metric = family(name, text, labels=[label])
    for value, figure in values.items():
        metric.add_metric([value], figure)
    return metric
