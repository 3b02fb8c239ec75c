"""Memory tools of `parley agent`: each call goes to the MCP server of the Parley that started the run."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from itertools import count

import httpx

from parley.core.model.types import Json, JsonObject
from parley.core.ports.memory.tools import Consent, RunScope, ToolChange, ToolRefused

log = logging.getLogger(__name__)

_TIMEOUT = 20.0
_MOST_BYTES = 1_000_000
_OVER = "This token is not that of a run that is under way."
_AWAY = "The memory cannot be used at this moment."


class RemoteMemoryTools:
    """The port `MemoryTools` over HTTP. `address` is the MCP server's.

    It is that of this process's own configuration, whatever a run says: who may start runs cannot make the
    server call other addresses. That a person agreed is nothing which a caller on the network can say.
    """

    takes_consent = False

    def __init__(
        self,
        address: str,
        transport: httpx.AsyncBaseTransport | None = None,
        categories: Sequence[str] = (),
    ) -> None:
        self._address = address
        self.categories = categories
        self._transport = transport
        self._numbers = count(1)

    def grant(self, scope: RunScope) -> JsonObject:
        return {}

    async def admits(self, token: str) -> bool:
        return bool(token)

    async def call(
        self, token: str, tool: str, arguments: object, *, consent: Consent = Consent.BELOW_ANSWER
    ) -> Mapping[str, Json]:
        """Call a tool of the MCP server with the run's token. Raises ToolRefused."""
        if not (token.isascii() and token.isprintable() and token):
            raise ToolRefused(_OVER)
        request = {
            "jsonrpc": "2.0",
            "id": next(self._numbers),
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
        try:
            async with (
                httpx.AsyncClient(
                    timeout=_TIMEOUT, transport=self._transport, trust_env=False, follow_redirects=False
                ) as client,
                client.stream("POST", self._address, json=request, headers=headers) as response,
            ):
                return _result(response.status_code, await _body(response))
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            log.warning("memory tools at %s cannot be used: %s", self._address, repr(error))
            raise ToolRefused(_AWAY) from error

    async def take_changes(self, person: str, turn: str) -> Sequence[ToolChange]:
        return ()


async def _body(response: httpx.Response) -> bytes:
    parts, size = list[bytes](), 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > _MOST_BYTES:
            raise ValueError("the answer is too large")
    return b"".join(parts)


def _result(status: int, body: bytes) -> Mapping[str, Json]:
    """Return what the tool found. Raises ToolRefused as it does, and ValueError for what is no answer."""
    if status == httpx.codes.UNAUTHORIZED:
        raise ToolRefused(_OVER)
    if status != httpx.codes.OK:
        raise ValueError(f"HTTP {status} {body[:200].decode(errors='replace')}")
    answer = json.loads(body)
    result = answer.get("result") if isinstance(answer, dict) else None
    content = result.get("content") if isinstance(result, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    if not isinstance(result, dict) or not isinstance(text, str):
        raise ValueError("it does not speak MCP")
    if result.get("isError"):
        raise ToolRefused(text)
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("it does not speak MCP")
    return found
