"""What somebody would write without Parley: the SDK in a loop, with its own transport or with aiohttp's.

Nothing is stored, nothing is recovered, nothing is shown: the least that gets an answer.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

import httpx
from httpx_aiohttp import AiohttpTransport
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

_TIMEOUT = httpx.Timeout(connect=5.0, read=60.0, write=30.0, pool=None)
_TEXT = "Tell me something in twenty words, please."


def sdk(url: str, *, stock: bool) -> LangGraphClient:
    """The SDK as it comes, or over an aiohttp transport without a bound on connections."""
    if stock:
        return get_client(url=url, api_key=None)
    transport = AiohttpTransport(limits=httpx.Limits(max_connections=0))
    return LangGraphClient(
        httpx.AsyncClient(base_url=url, transport=transport, timeout=_TIMEOUT, trust_env=False)
    )


class BareLoop:
    """Turns through the SDK, each on a thread of its own; they return the time of the first text, and all."""

    def __init__(self, client: LangGraphClient) -> None:
        self._client = client

    async def stream(self, assistant: str) -> tuple[float, str]:
        """The tokens put together."""
        thread, asked = await self._begin()
        pieces: list[str] = []
        first = 0.0
        parts = self._client.runs.stream(
            thread,
            assistant,
            input=asked,
            stream_mode=["messages-tuple", "updates"],
            stream_resumable=True,
            on_disconnect="continue",
            multitask_strategy="reject",
        )
        async for part in parts:
            if part.event == "messages":
                pieces.append(part.data[0]["content"])
                first = first or time.perf_counter()
        return first, "".join(pieces)

    async def wait(self, assistant: str) -> tuple[float, str]:
        """The last message of the answer."""
        thread, asked = await self._begin()
        state: Any = await self._client.runs.wait(thread, assistant, input=asked, multitask_strategy="reject")
        return 0.0, state["messages"][-1]["content"]

    async def careful(self, assistant: str) -> tuple[float, str]:
        """The same, seeing errors and cancellations as Parley does: two more requests."""
        thread, asked = await self._begin()
        runs = self._client.runs
        run = await runs.create(thread, assistant, input=asked, multitask_strategy="reject")
        state: Any = await runs.join(thread, run["run_id"])
        status = (await runs.get(thread, run["run_id"]))["status"]
        return 0.0, state["messages"][-1]["content"] if status == "success" else ""

    async def _begin(self) -> tuple[str, dict[str, Any]]:
        thread = str(uuid.uuid4())
        await self._client.threads.create(thread_id=thread, if_exists="do_nothing")
        return thread, {"messages": [{"type": "human", "id": str(uuid.uuid4()), "content": _TEXT}]}
