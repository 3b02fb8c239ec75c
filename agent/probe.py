"""Asking an agent server how it is."""

from __future__ import annotations

import asyncio

import httpx

from agent.wire import mapped
from bridge.errors import AgentError, AgentRefused
from bridge.ports import Health

_PATIENCE = 5.0
_SIGNS = ("ok", "info")
"""Not every server has either; then any answer below 500 says that somebody is there."""


async def probe(http: httpx.AsyncClient) -> tuple[Health, str]:
    """The server's health, and why in words for an operator."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _look(http)
    except (AgentError, TimeoutError) as error:
        refused = isinstance(error, AgentRefused)
        return (Health.REFUSED if refused else Health.RETRYING), f"{http.base_url}: {_why(error)}"


async def _look(http: httpx.AsyncClient) -> tuple[Health, str]:
    for sign in _SIGNS:
        with mapped("ask for health"):
            response = await http.get(sign)
            if response.status_code in (404, 405):
                continue
            response.raise_for_status()
        break
    with mapped("ask for assistants"):
        # The signs of life are public on most servers: only a real call shows whether the key is good.
        response = await http.post("assistants/search", json={"limit": 1})
        if response.status_code in (401, 403) or response.status_code >= 500:
            response.raise_for_status()
    return Health.UP, str(http.base_url)


def _why(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(cause, httpx.HTTPStatusError):
        return f"HTTP {cause.response.status_code}"
    return str(cause or error) or "no answer in time"
