"""Asking an agent server how it is."""

from __future__ import annotations

import asyncio
import os
import ssl

import httpx

from parley.agent.transport.error_mapping import map_errors
from parley.agent.transport.http_client import fetch
from parley.core.model.errors import AgentError, AgentRefused
from parley.core.ports.health import Health

_PATIENCE = 5.0
_SIGNS = ("ok", "info")
"""Not every server has either; then any answer below 500 says that somebody is there."""


async def probe_health(http: httpx.AsyncClient) -> tuple[Health, str]:
    """The server's health, and why in words for an operator."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _look(http)
    except (AgentError, TimeoutError) as error:
        refused = isinstance(error, AgentRefused)
        return (Health.REFUSED if refused else Health.RETRYING), f"{http.base_url}: {_why(error)}"


async def _look(http: httpx.AsyncClient) -> tuple[Health, str]:
    for sign in _SIGNS:
        with map_errors("ask for health"):
            response = await fetch(http, "GET", sign)
            if response.status_code in (404, 405):
                continue
            response.raise_for_status()
        break
    with map_errors("ask for assistants"):
        # The signs of life are public on most servers: only a real call shows whether the key is good.
        response = await fetch(http, "POST", "assistants/search", {"limit": 1})
        if response.status_code in (401, 403) or response.status_code >= 500:
            response.raise_for_status()
    return Health.UP, str(http.base_url)


def _why(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(cause, httpx.HTTPStatusError):
        return f"HTTP {cause.response.status_code}"
    root: BaseException = error
    while deeper := root.__cause__ or root.__context__:
        root = deeper
    if isinstance(root, OSError) and root.errno:
        return f"no connection ({_words(root)})"
    return str(cause or error) or "no answer in time"


def _words(error: OSError) -> str:
    # asyncio's own text has only the address; the reason is in the number. OpenSSL numbers differently.
    by_number = not isinstance(error, ssl.SSLError) and (error.errno or 0) > 0
    return os.strerror(error.errno or 0) if by_number else error.strerror or type(error).__name__
