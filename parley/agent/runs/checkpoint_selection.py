"""Where a turn that is run again begins: where its thread stood before the first try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parley.agent.langgraph_client import AgentServerClient
from parley.agent.runs.memory_block import MEMORY_KIND, companion_id, strip_memory
from parley.agent.stream.final_answer import parse_messages
from parley.agent.transport.decoding import string
from parley.core.model.errors import AgentRefused
from parley.core.model.types import Json, RunRequest


@dataclass(frozen=True, slots=True)
class RunStart:
    """A run's `checkpoint` ("" for the thread's newest), and the messages that its input begins with."""

    checkpoint: str = ""
    earlier: Sequence[Json] = ()


async def select_start(server: AgentServerClient, request: RunRequest) -> RunStart:
    """Before the first try; where the server no longer knows that place, its answer is taken away instead.

    A try that left nothing on the thread, or that a summary has swallowed, needs neither.
    """
    kept = companion_id(request.message_id, MEMORY_KIND) if request.memory else ""
    if not request.retried:
        return RunStart(
            "", strip_memory(await server.state(request.thread), kept) if request.reminded else ()
        )
    state = await server.state(request.thread)
    if request.message_id not in _ids(state):
        return RunStart("", strip_memory(state, kept))
    try:
        begun = await server.begun(request.thread)
    except AgentRefused:
        begun = []
    for before in begun:
        if request.message_id not in _ids(before) and (checkpoint := _parent(before)):
            return RunStart(checkpoint, strip_memory(before, kept))
    ids = _ids(state)
    removed = ids[ids.index(request.message_id) + 1 :]
    answer: list[Json] = [{"type": "remove", "id": each, "content": ""} for each in removed]
    return RunStart("", [*strip_memory(state, kept), *answer])


def _parent(begun: dict[str, Json]) -> str:
    """The checkpoint that a run began on; its own first one where the thread was empty."""
    for key in ("parent_checkpoint", "checkpoint"):
        place = begun.get(key)
        if isinstance(place, dict) and (found := string(place.get("checkpoint_id"))):
            return found
    return ""


def _ids(state: Json) -> list[str]:
    values = state.get("values") if isinstance(state, dict) else None
    messages, _ = parse_messages(values.get("messages")) if isinstance(values, dict) else ([], False)
    return [message.id for message in messages if message.id]
