"""A step begins once what came before it is saved: a crash in its middle does not do that again."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.graph import END, START, StateGraph

from parley.server.options import EmbeddedOptions
from parley.server.storage.sqlite.checkpoints import SqliteCheckpoints
from tests.unit.server.conftest import Served


class Decided(TypedDict, total=False):
    call: str


async def test_a_step_begins_once_the_one_before_is_saved(
    tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch, sqlite_only: None
) -> None:
    saved: list[object] = []
    save = SqliteCheckpoints.aput

    async def late(
        self: SqliteCheckpoints,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        for _ in range(50):
            await self.has("t", "", "c")  # Others have the file meanwhile.
        done = await save(self, config, checkpoint, metadata, new_versions)
        saved.append(checkpoint["channel_values"].get("call"))
        return done

    monkeypatch.setattr(SqliteCheckpoints, "aput", late)
    found: list[object] = []

    async def decide(state: Decided) -> Decided:
        return {"call": "pay 5"}

    async def pay(state: Decided) -> Decided:
        found.extend(saved)
        return {}

    graph = StateGraph(Decided).add_node("decide", decide).add_node("pay", pay)
    graph.add_edge(START, "decide").add_edge("decide", "pay").add_edge("pay", END)
    async with served(EmbeddedOptions(tmp_path / "agent.sqlite", {"payer": graph})) as client:
        await client.runs.wait(None, "payer", input={"call": ""})
    assert "pay 5" in found
