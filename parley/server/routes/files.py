"""The files of a thread's workspace, in the shape of DeerFlow's gateway: uploads, and what the agent made."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.server.authorization import Action
from parley.server.http_errors import Problem, not_found
from parley.server.routes.access import permit, permitted_thread
from parley.server.routes.request_context import app_state, path_uuid

if TYPE_CHECKING:  # what is off loads nothing
    from parley.server.workspace.folder import WorkspaceFolder
    from parley.server.workspace.workspaces import Workspaces

UPLOADS = "/uploads"
_MOST_FILES = 20
_MOST_NAME = 180
"""Bytes."""
_T = TypeVar("_T")


async def upload(request: Request) -> Response:
    """Put files into the workspace; one of another's name gets a number.

    A thread that is not there is made: files belong to one, and go with it.
    """
    _workspaces(request)
    await _make_thread(request)
    folder = await _folder(request, "update")
    length = request.headers.get("content-length", "")
    limit = app_state(request).options.limits.body
    if not length.isdecimal() or int(length) > limit:
        raise Problem(413, f"Say content-length; at most {limit} bytes are taken.")
    stored = []
    async with request.form(max_files=_MOST_FILES) as form:
        for given in form.getlist("files"):
            if isinstance(given, UploadFile):
                content, name = await given.read(), _safe_name(given.filename or "")
                path = await _asked(partial(folder.add, UPLOADS, name, content), refused=422)
                stored.append({"filename": path.rpartition("/")[2], "size": len(content), "path": path})
    files = [{**each, "virtual_path": each["path"]} for each in stored]
    return JSONResponse({"success": True, "files": files, "message": f"{len(files)} files uploaded"})


async def uploads(request: Request) -> Response:
    """List the files that were uploaded."""
    folder = await _folder(request, "read")
    found = await _asked(lambda: folder.entries(UPLOADS) if folder.has(UPLOADS) else [])
    files = [
        {"filename": each.path.rpartition("/")[2], "size": each.size, "virtual_path": each.path}
        for each in found
        if not each.is_folder
    ]
    return JSONResponse({"files": files, "count": len(files)})


async def artifact(request: Request) -> Response:
    """A file of the workspace, always as one to be saved: its type is whatever a stranger says."""
    folder = await _folder(request, "read")
    content = await _asked(lambda: folder.read("/" + request.path_params["path"]))
    headers = {"content-disposition": "attachment", "x-content-type-options": "nosniff"}
    return Response(content, media_type="application/octet-stream", headers=headers)


def _workspaces(request: Request) -> Workspaces:
    workspaces = app_state(request).workspaces
    if workspaces is None:
        raise not_found("Workspace")
    return workspaces


async def _make_thread(request: Request) -> None:
    thread_id = path_uuid(request, "thread_id")
    threads = app_state(request).threads
    if await threads.tables.thread(thread_id) is None:
        asked: dict[str, Any] = {"thread_id": UUID(thread_id), "metadata": {}, "if_exists": "do_nothing"}
        await permit(request, "threads", "create", asked)
        await threads.create(thread_id, asked.get("metadata") or {}, keep=True)


async def _folder(request: Request, action: Action) -> WorkspaceFolder:
    workspaces = _workspaces(request)
    row = await permitted_thread(request, action)
    return await asyncio.to_thread(workspaces.of, row.thread_id)


async def _asked(work: Callable[[], _T], refused: int = 404) -> _T:
    """Do it in a thread. A path that is none is answered with the status `refused`."""
    from parley.server.workspace.entries import WorkspaceFull
    from parley.server.workspace.paths import PathRefused

    try:
        return await asyncio.to_thread(work)
    except WorkspaceFull as error:
        raise Problem(413, str(error)) from error
    except PathRefused as error:
        raise Problem(refused, str(error)) from error


def _safe_name(name: str) -> str:
    """Return a name without folders, for a file that a person sent."""
    base = re.split(r"[\\/]", name[-1_000:])[-1]
    kept = "".join(sign if sign.isprintable() and sign not in '"<>:|?*' else "_" for sign in base)
    cut = kept.strip(" .").encode(errors="ignore")[-_MOST_NAME:].decode(errors="ignore")
    return cut.strip(" .") or "file"


ROUTES = [
    Route("/threads/{thread_id}/uploads", upload, methods=["POST"]),
    Route("/threads/{thread_id}/uploads/list", uploads, methods=["GET"]),
    Route("/threads/{thread_id}/artifacts/{path:path}", artifact, methods=["GET"]),
]
