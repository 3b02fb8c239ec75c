"""Health for operators and their machines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from parley.core.ports.health import Health, HealthReport

Reports = Callable[[], Sequence[HealthReport]]
RefreshReports = Callable[[], Awaitable[None]]


async def keep_reports() -> None:
    """Leave the reports as they are."""


def trust_reports() -> None:
    """Trust the reports."""


def unready_reasons(reports: Sequence[HealthReport], needed: Sequence[str]) -> tuple[str, ...]:
    """Return why messages cannot be taken now, a line for each reason; empty when they can.

    A part that is needed must be up, and nothing may be starting. A channel that was refused, or an agent
    server that is away, does not count: messages are taken and kept meanwhile.
    """
    by_name = {report.name: report for report in reports}
    reasons = [f"{name}: no report" for name in needed if name not in by_name]
    for report in reports:
        starting = report.health is Health.STARTING
        if starting or (report.name in needed and report.health is not Health.UP):
            reasons.append(f"{report.name}: {report.health}")
    return tuple(reasons)


def health_routes(
    reports: Reports, needed: Sequence[str], look: RefreshReports = keep_reports
) -> tuple[Route, ...]:
    """`/livez`, `/readyz` (503 while messages cannot be taken), and `/api/health` with every report."""

    async def livez(request: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def readyz(request: Request) -> Response:
        await look()
        reasons = unready_reasons(reports(), needed)
        return PlainTextResponse("\n".join(reasons or ("ready",)) + "\n", 503 if reasons else 200)

    async def health(request: Request) -> Response:
        found = reports()
        parts = [
            {"name": one.name, "health": one.health.value, "detail": one.detail, "since": one.since}
            for one in found
        ]
        return JSONResponse({"ready": not unready_reasons(found, needed), "parts": parts})

    return (Route("/livez", livez), Route("/readyz", readyz), Route("/api/health", health))
