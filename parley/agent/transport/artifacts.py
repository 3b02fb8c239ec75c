"""Files that an agent's server keeps for a thread, as DeerFlow's gateway and our own server do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from urllib.parse import quote

import httpx

from parley.agent.transport.decoding import read_body, read_json, string
from parley.agent.transport.error_mapping import AgentMissing, map_errors
from parley.agent.transport.http_client import AgentEndpoint, http_client
from parley.core.model.attachments import StoredFile

log = logging.getLogger(__name__)

_PATHS = ("api/threads", "threads")
_PATIENCE = 60.0
_LONGEST_PATH = 1_000
_TAKES_NONE = (404, 405)
_THIS_FILE = (413, 422)
"""It has no room for a file, or does not like it: another may be taken."""
_ASK_AGAIN = 600.0
"""Seconds after which a server that took no files is asked again."""
_MOST_ANSWER = 100_000


class ThreadFiles:
    """Fetches and uploads files, with the credentials that runs have.

    They are on the server at `gateway_url`; with `inside` they are on the one that this client asks, within
    this process.
    """

    def __init__(
        self,
        gateway_url: str,
        endpoint: AgentEndpoint,
        inside: httpx.AsyncClient | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gateway = AgentEndpoint(gateway_url.rstrip("/"), endpoint.api_key, endpoint.headers)
        self._inside, self._clock = inside, clock
        self._takes_none_until = 0.0

    async def fetch(self, thread: str, path: str, most: int) -> bytes:
        """Return a file of a thread.

        `path` is what the agent calls it, as `/mnt/user-data/outputs/report.md`. Raises AgentMissing where
        there is none, AgentUnreadable where it has more than `most` bytes, any other AgentError where it is
        refused.
        """
        name = _quoted(path)
        async with self._http() as http:
            for threads in _PATHS:
                where = f"{threads}/{quote(thread, safe='')}/artifacts/{name}"
                with map_errors("fetch a file"):
                    async with asyncio.timeout(_PATIENCE), http.stream("GET", where) as response:
                        if response.status_code in _TAKES_NONE:
                            continue
                        response.raise_for_status()
                        return await read_body(response.aiter_bytes(), most)
        raise AgentMissing("The agent does not know what was asked for.", path[:_LONGEST_PATH])

    async def upload(self, thread: str, files: Sequence[StoredFile]) -> list[str]:
        """Give a thread these files; returns what the agent calls each, "" for one that is not taken.

        A server that takes no files is remembered. Raises AgentError where it is away.
        """
        if self._clock() < self._takes_none_until:
            return [""] * len(files)
        async with self._http() as http:
            return [await self._upload(http, thread, file) for file in files]

    async def _upload(self, http: httpx.AsyncClient, thread: str, file: StoredFile) -> str:
        try:
            content = await asyncio.to_thread(Path(file.path).read_bytes)
        except OSError:
            return ""  # It is past its time; the agent is told so elsewhere.
        status = 404
        for threads in _PATHS:
            where = f"{threads}/{quote(thread, safe='')}/uploads"
            sent = {"files": (file.name, content, file.mime or None)}
            with map_errors("upload a file"):
                async with asyncio.timeout(_PATIENCE), http.stream("POST", where, files=sent) as response:
                    status = response.status_code
                    if response.is_success:
                        return _path(await read_body(response.aiter_bytes(), _MOST_ANSWER))
            if status not in _TAKES_NONE:
                break
        # A server may answer anything where it knows no such call: the run has the file's words even so.
        if status not in _THIS_FILE:
            log.info("the agent's server takes no files: HTTP %d", status)
            self._takes_none_until = self._clock() + _ASK_AGAIN
        return ""

    def _http(self) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        return nullcontext(self._inside) if self._inside else http_client(self._gateway)


def _path(answer: bytes) -> str:
    """Return the path in an answer to an upload."""
    found = read_json(answer)
    listed = found.get("files") if isinstance(found, dict) else None
    first = listed[0] if isinstance(listed, list) and listed else None
    return string(first.get("virtual_path")) if isinstance(first, dict) else ""


def _quoted(path: str) -> str:
    """Return a path as a part of an address. Raises AgentMissing for one that could lead elsewhere."""
    parts = path[: _LONGEST_PATH + 1].strip("/").split("/")
    if len(path) > _LONGEST_PATH or any(part in ("", ".", "..") or "\\" in part for part in parts):
        raise AgentMissing("The agent does not know what was asked for.", path[:_LONGEST_PATH])
    return "/".join(quote(part, safe="") for part in parts)
