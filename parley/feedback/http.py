"""Posts JSON to a service: no redirects, a bounded answer, and an error that says whether to try again."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import httpx

from parley.core.model.errors import FeedbackUndelivered

log = logging.getLogger(__name__)

_TIMEOUT = httpx.Timeout(20.0, connect=10.0)
_MOST_ANSWER = 2_000
"""Bytes of an answer that are read: only for the log."""
_FOREVER = frozenset({400, 405, 410, 413, 415, 422})
"""What a service says that it will say again. A key can be put right, and a run may be known there later."""


def open_client() -> httpx.AsyncClient:
    """Open what requests are made with."""
    return httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False)


async def send_json(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str] | None = None,
    auth: tuple[str, str] | None = None,
) -> int:
    """Return the status of an answer that is no refusal, or 409. Raises FeedbackUndelivered."""
    sent = {"content-type": "application/json", **(headers or {})}
    try:
        async with http.stream(
            method, url, content=body, headers=sent, auth=auth or httpx.USE_CLIENT_DEFAULT
        ) as response:
            said = await _beginning(response)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise FeedbackUndelivered(f"{url} gave no answer: {error!r}") from error
    status = response.status_code
    if status < 300 or status == httpx.codes.CONFLICT:
        return status
    log.debug("%s answered %d: %r", url, status, said)
    raise FeedbackUndelivered(f"{url} answered {status}", refused=status in _FOREVER)


async def _beginning(response: httpx.Response) -> bytes:
    said = b""
    async for chunk in response.aiter_bytes(_MOST_ANSWER):
        said += chunk
        if len(said) >= _MOST_ANSWER:
            break
    return said[:_MOST_ANSWER]
