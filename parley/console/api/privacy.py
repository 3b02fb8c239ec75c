"""Everything about one person over HTTP: looked up, exported and erased, under `/api/person`.

Whoever may use the console may use this.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestBody, RequestRefused, read_json
from parley.core.model.errors import MemoryFailed, PersonBusy, StoreUnavailable
from parley.core.model.types import Json
from parley.core.privacy.report import PrivacyReport
from parley.core.privacy.service import PrivacyService

PATH = "/api/person"
_PRIVATE = {"cache-control": "no-store"}
_LEFT_AFTER = 3600.0


class ErasureBody(RequestBody):
    """Whom to erase; `accounts` are those that were shown before.

    So nobody else's data is erased by a link that was made meanwhile.
    """

    person: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]
    accounts: tuple[str, ...]


def privacy_routes(desk: PrivacyService, folder: Path) -> Sequence[Route]:
    """GET `?person=` tells who it is; GET `/export?person=` is a zip file; POST `/erase` erases.

    Exports are made in `folder`, and removed once they are sent.
    """

    async def looked_up(request: Request) -> Response:
        subject = await desk.find(_name(request))
        return JSONResponse({"person": subject.person, "accounts": list(subject.accounts)}, headers=_PRIVATE)

    async def exported(request: Request) -> Response:
        path = await asyncio.to_thread(_new_file, folder)
        try:
            await desk.export(_name(request), path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        done = BackgroundTask(path.unlink, missing_ok=True)
        return FileResponse(path, media_type="application/zip", headers=_PRIVATE, background=done)

    async def erased(request: Request) -> Response:
        whom = await read_json(request, ErasureBody)
        subject = await desk.find(whom.person)
        if set(subject.accounts) != set(whom.accounts):
            raise RequestRefused(
                409, "other_accounts", f"The accounts are {', '.join(subject.accounts)} now."
            )
        return JSONResponse(_shown(await desk.erase(whom.person)), headers=_PRIVATE)

    return (
        Route(PATH, _answered(looked_up), methods=["GET"]),
        Route(f"{PATH}/export", _answered(exported), methods=["GET"]),
        Route(f"{PATH}/erase", _answered(erased), methods=["POST"]),
    )


def _name(request: Request) -> str:
    return request.query_params.get("person", "").strip()


def _new_file(folder: Path) -> Path:
    """Return a file for an export, after removing what a crash may have left of others."""
    for left in folder.glob("export-*.zip"):
        if time.time() - left.stat().st_mtime > _LEFT_AFTER:
            left.unlink(missing_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix="export-", suffix=".zip", delete=False) as file:
        return Path(file.name)


def _shown(report: PrivacyReport) -> dict[str, Json]:
    return {
        "person": report.person,
        "accounts": list(report.accounts),
        "unfinished": report.unfinished,
        "done": {count.kind.value: count.number for count in report.done},
        "receipt": "\n".join(report.lines("erased")),
    }


def _answered(
    handler: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def wrapped(request: Request) -> Response:
        try:
            return await handler(request)
        except (RequestRefused, ValueError, PersonBusy, MemoryFailed, StoreUnavailable) as error:
            refused = _refused(error)
            return JSONResponse(refused.answer(), refused.status, {"retry-after": "5"})

    return wrapped


def _refused(error: Exception) -> RequestRefused:
    match error:
        case RequestRefused():
            return error
        case PersonBusy():
            return RequestRefused(409, "busy", error.user_text)
        case MemoryFailed():
            return RequestRefused(503, "memory_unavailable", error.user_text)
        case StoreUnavailable():
            return RequestRefused(503, "store_unavailable", "The store cannot be reached just now.")
    return RequestRefused(422, "no_person", "Write an account as channel:id, such as telegram:4711.")
