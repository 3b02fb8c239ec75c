"""Asking an agent server how it is."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl

import httpx

from parley.agent.transport.error_mapping import map_errors
from parley.agent.transport.http_client import fetch
from parley.core.model.errors import AgentError, AgentRefused, AgentUnavailable
from parley.core.ports.health import Health

_PATIENCE = 5.0
_SIGNS = ("ok", "info")
"""Not every server has either; then assistants, or a thread that it does not know, show that it is one."""

_ABSENT = (404, 405)
_NO_THREAD = "threads/00000000-0000-4000-8000-000000000000"
_MOST_READ = 2_000
UNTRUSTED = "its certificate is not trusted here"


async def probe_health(http: httpx.AsyncClient) -> tuple[Health, str]:
    """The server's health, and why in words for an operator; who asks again and again tells the log."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _look(http)
    except (AgentError, TimeoutError) as error:
        refused = isinstance(error, AgentRefused)
        return (Health.REFUSED if refused else Health.RETRYING), f"{http.base_url}: {_why(error)}"


async def _look(http: httpx.AsyncClient) -> tuple[Health, str]:
    shown = False
    for sign in _SIGNS:
        with map_errors("ask for health", logging.DEBUG):
            response = await fetch(http, "GET", sign)
            if response.status_code in _ABSENT:
                continue
            response.raise_for_status()
        shown = True
        break
    with map_errors("ask for assistants", logging.DEBUG):
        # The signs of life are public on most servers: only a real call shows whether the key is good.
        response = await fetch(http, "POST", "assistants/search", {"limit": 1})
        if response.status_code in (401, 403) or response.status_code >= 500:
            response.raise_for_status()
    if not shown and response.status_code in _ABSENT and not await _knows_threads(http):
        raise AgentUnavailable(
            "it answers HTTP 404 to everything, so it is not the address of an agent server"
        )
    return Health.UP, str(http.base_url)


async def _knows_threads(http: httpx.AsyncClient) -> bool:
    """Tell whether there is a route for threads: its 404 speaks of a thread, and not of a page."""
    with map_errors("look for a thread", logging.DEBUG):
        response = await fetch(http, "GET", _NO_THREAD)
    said = response.content[:_MOST_READ].decode("utf-8", "replace").lower()
    return response.status_code not in _ABSENT or "thread" in said.replace(_NO_THREAD, "")


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
    if isinstance(error, ssl.SSLCertVerificationError):
        return UNTRUSTED
    # asyncio's own text has only the address; the reason is in the number. OpenSSL numbers differently.
    by_number = not isinstance(error, ssl.SSLError) and (error.errno or 0) > 0
    return os.strerror(error.errno or 0) if by_number else error.strerror or type(error).__name__
