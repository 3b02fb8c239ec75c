"""Small words for the checks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import DisconnectMode, StreamMode, StreamPart, ThreadState

TOKENS: list[StreamMode] = ["messages-tuple", "updates"]


def human_input(text: str, message_id: str | None = None) -> dict[str, Any]:
    """A run's input with one human message."""
    return {"messages": [{"type": "human", "content": text, "id": message_id or str(uuid4())}]}


async def collect(stream: AsyncIterator[StreamPart]) -> list[StreamPart]:
    """The whole stream."""
    return [part async for part in stream]


def events_named(parts: list[StreamPart], event: str) -> list[Any]:
    """The data of all events of a name."""
    return [part.data for part in parts if part.event == event]


def texts(state: ThreadState) -> list[Any]:
    """What the messages in a state say."""
    values: Any = state["values"]
    return [message["content"] for message in values["messages"]]


async def start_run(
    client: LangGraphClient, thread: str, graph: str = "slow", on_disconnect: DisconnectMode = "continue"
) -> str:
    """A run that is under way: its first token has come. Returns its id."""
    stream = client.runs.stream(
        thread,
        graph,
        input=human_input("one"),
        stream_mode=TOKENS,
        stream_resumable=True,
        if_not_exists="create",
        on_disconnect=on_disconnect,
    )
    run_id = ""
    async for part in stream:
        if part.event == "metadata":
            run_id = part.data["run_id"]
        if part.event == "messages":
            break
    await stream.aclose()  # type: ignore[attr-defined]
    return run_id


async def wait_for_status(client: LangGraphClient, thread: str, run_id: str) -> str:
    """The status of a run once it is over."""
    await client.runs.join(thread, run_id)
    return (await client.runs.get(thread, run_id))["status"]
