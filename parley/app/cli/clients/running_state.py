"""What a Parley that runs with these settings says of itself."""

from __future__ import annotations

import httpx
from pydantic import BaseModel, ValidationError

from parley.app.cli.clients.console_api import open_console
from parley.app.doctor.context import RunningState
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ParleyError
from parley.core.ports.health import Health, HealthReport


class _Part(BaseModel):
    name: str
    health: Health
    detail: str
    since: float


class _View(BaseModel):
    ready: bool
    parts: tuple[_Part, ...]


class _Line(BaseModel):
    at: float
    level: str
    logger: str
    words: str
    error: str


class _Log(BaseModel):
    lines: tuple[_Line, ...]


async def ask_running(loaded: LoadedSettings) -> RunningState | None:
    """Return its reports and metrics; None where no Parley answers that lets us in."""
    try:
        async with open_console(loaded) as http:
            answer = await http.get("/api/health")
            view = _View.model_validate_json(answer.content)
            ready, metrics = await http.get("/readyz"), await http.get("/metrics")
            log = _Log.model_validate_json((await http.get("/api/support/log")).content)
    except (httpx.HTTPError, ValidationError, ParleyError):
        return None
    reports = {
        part.name: HealthReport(part.name, part.health, part.detail, part.since) for part in view.parts
    }
    unready = "" if ready.status_code == httpx.codes.OK else ", ".join(ready.text.split("\n"))[:500]
    figures = metrics.text if metrics.status_code == httpx.codes.OK else ""
    return RunningState(reports, unready, figures, tuple(line.model_dump() for line in log.lines))
