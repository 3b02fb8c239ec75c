"""Sends JSON to a service: no redirects, a bounded answer, and an error that says whether to try again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

import httpx

from parley.core.model.errors import FeedbackUndelivered

log = logging.getLogger(__name__)

_TIMEOUT = httpx.Timeout(20.0, connect=10.0)
_DEADLINE = 30.0
"""Seconds for a whole request: a service may send a byte now and then for ever."""
_MOST_ANSWER = 2_000
"""Bytes of an answer that are read: only for the log."""
_FOREVER = frozenset({400, 405, 410, 413, 415, 422})
"""What a service says that it will say again. A key can be put right, and a run may be known there later."""
_LONGEST_NUMBER = 9
_HERE = ("localhost", "127.0.0.1", "[::1]")


def open_client() -> httpx.AsyncClient:
    """Open what requests are made with. The environment's proxy is not asked for this machine's services."""
    direct = {f"all://{host}": None for host in _HERE}
    return httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False, mounts=direct)


async def send_json(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str] | None = None,
    auth: tuple[str, str] | None = None,
    expected: Collection[int] = (),
    deadline: float = _DEADLINE,
) -> int:
    """Return the status of an answer that is no refusal, or `expected`. Raises FeedbackUndelivered.

    Of the address only the host is told: the rest may be a secret.
    """
    sent = {"content-type": "application/json", **(headers or {})}
    host = urlsplit(url).netloc.rpartition("@")[2]
    try:
        async with (
            asyncio.timeout(deadline),
            http.stream(
                method, url, content=body, headers=sent, auth=auth or httpx.USE_CLIENT_DEFAULT
            ) as response,
        ):
            said = await _beginning(response)
    except httpx.LocalProtocolError as error:  # shows the header, which may be the key
        raise FeedbackUndelivered(f"{host} was not asked: a header cannot be sent") from error
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise FeedbackUndelivered(f"{host} gave no answer: {error!r}") from error
    status = response.status_code
    if (status < 300 and status != httpx.codes.MULTI_STATUS) or status in expected:
        return status
    log.debug("%s answered %d: %r", host, status, said)
    wait = _seconds(response.headers.get("retry-after", ""))
    raise FeedbackUndelivered(f"{host} answered {status}", refused=status in _FOREVER, wait=wait)


def _seconds(said: str) -> float:
    """Return how long a service wants to be left alone; 0 where it does not say so in seconds."""
    return float(said[:_LONGEST_NUMBER]) if said.isascii() and said.isdecimal() else 0.0


async def _beginning(response: httpx.Response) -> bytes:
    """Return the first bytes as they came: what is packed might be far too much."""
    said = b""
    async for chunk in response.aiter_raw(_MOST_ANSWER):
        said += chunk
        if len(said) >= _MOST_ANSWER:
            break
    return said[:_MOST_ANSWER]
