"""`/metrics`: what Prometheus scrapes, in its text format 0.0.4."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure for each value of one label. Counters are of this process, and begin anew with it."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    label: str
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often a figure was up to each of `bounds`, and beyond the last; `sum` is of all figures."""

    name: str
    help: str
    bounds: Sequence[float]
    counts: Sequence[int]
    sum: float


Metrics = Callable[[], Sequence[Metric | Histogram]]
MetricSource = Callable[[], Awaitable[Sequence[Metric | Histogram]]]


def metrics_route(metrics: Metrics, *asked: MetricSource) -> Route:
    """The route; it is behind the token where there is one. `asked` are figures that have to be looked up."""

    async def scrape(request: Request) -> Response:
        figures = [*metrics()]
        for each in asked:
            figures += await each()
        return Response("\n".join(_lines(figures)) + "\n", media_type=_TYPE)

    return Route("/metrics", scrape)


def _lines(metrics: Sequence[Metric | Histogram]) -> Iterable[str]:
    for metric in metrics:
        if isinstance(metric, Histogram):
            yield from _histogram(metric)
            continue
        yield f"# HELP {metric.name} {_escaped(metric.help)}"
        yield f"# TYPE {metric.name} {metric.kind}"
        for value, figure in metric.values.items():
            quoted = _escaped(value).replace('"', '\\"')
            yield f'{metric.name}{{{metric.label}="{quoted}"}} {figure}'


def _histogram(metric: Histogram) -> Iterable[str]:
    yield f"# HELP {metric.name} {_escaped(metric.help)}"
    yield f"# TYPE {metric.name} histogram"
    bounds = (*(f"{bound:g}" for bound in metric.bounds), "+Inf")
    for bound, count in zip(bounds, accumulate(metric.counts), strict=True):
        yield f'{metric.name}_bucket{{le="{bound}"}} {count}'
    yield f"{metric.name}_sum {metric.sum:g}"
    yield f"{metric.name}_count {sum(metric.counts)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
