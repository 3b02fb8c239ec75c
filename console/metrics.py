"""`/metrics`: what Prometheus scrapes, in its text format 0.0.4."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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


Metrics = Callable[[], Sequence[Metric]]
Asked = Callable[[], Awaitable[Sequence[Metric]]]


def metrics_route(metrics: Metrics, *asked: Asked) -> Route:
    """The route; it is behind the token where there is one. `asked` are figures that have to be looked up."""

    async def scrape(request: Request) -> Response:
        figures = [*metrics()]
        for each in asked:
            figures += await each()
        return Response("\n".join(_lines(figures)) + "\n", media_type=_TYPE)

    return Route("/metrics", scrape)


def _lines(metrics: Sequence[Metric]) -> Iterable[str]:
    for metric in metrics:
        yield f"# HELP {metric.name} {_escaped(metric.help)}"
        yield f"# TYPE {metric.name} {metric.kind}"
        for value, figure in metric.values.items():
            quoted = _escaped(value).replace('"', '\\"')
            yield f'{metric.name}{{{metric.label}="{quoted}"}} {figure}'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
