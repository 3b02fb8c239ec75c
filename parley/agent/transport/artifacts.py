"""Files that an agent's gateway keeps for a thread, as DeerFlow's does."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from parley.agent.transport.decoding import read_body
from parley.agent.transport.error_mapping import AgentMissing, map_errors
from parley.agent.transport.http_client import AgentEndpoint, http_client

_PATHS = ("api/threads", "threads")
_PATIENCE = 60.0
_LONGEST_PATH = 1_000


async def fetch_artifact(
    gateway_url: str, endpoint: AgentEndpoint, thread: str, path: str, most: int
) -> bytes:
    """Return a file of a thread, with the credentials that runs have.

    `path` is what the agent calls it, as `/mnt/user-data/outputs/report.md`. Raises AgentMissing where there
    is none, AgentUnreadable where it has more than `most` bytes, any other AgentError where it is refused.
    """
    name = _quoted(path)
    gateway = AgentEndpoint(gateway_url.rstrip("/"), endpoint.api_key, endpoint.headers)
    async with http_client(gateway) as http:
        for threads in _PATHS:
            where = f"{threads}/{quote(thread, safe='')}/artifacts/{name}"
            with map_errors("fetch a file"):
                async with asyncio.timeout(_PATIENCE), http.stream("GET", where) as response:
                    if response.status_code in (404, 405):
                        continue
                    response.raise_for_status()
                    return await read_body(response.aiter_bytes(), most)
    raise AgentMissing("The agent does not know what was asked for.", path[:_LONGEST_PATH])


def _quoted(path: str) -> str:
    """Return a path as a part of an address. Raises AgentMissing for one that could lead elsewhere."""
    parts = path[: _LONGEST_PATH + 1].strip("/").split("/")
    if len(path) > _LONGEST_PATH or any(part in ("", ".", "..") or "\\" in part for part in parts):
        raise AgentMissing("The agent does not know what was asked for.", path[:_LONGEST_PATH])
    return "/".join(quote(part, safe="") for part in parts)
