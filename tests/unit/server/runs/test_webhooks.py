"""Whoever asked for it is told how a run ended, also when it is away for a while, or the process dies."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from httpx import HTTPStatusError
from langgraph_sdk.errors import UnprocessableEntityError

from parley.server.options import EmbeddedOptions
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.unit.server.conftest import Served
from tests.unit.server.test_app import HI

HOOK = "https://hooks.example.org/x"


@dataclass
class Hooks:
    """A `WebhookPort` whose services answer what they are told to."""

    answers: list[str] = field(default_factory=list)
    told: list[tuple[str, Any, str]] = field(default_factory=list)
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    def refusal(self, url: str) -> str:
        return "" if url == HOOK else "not there"

    async def post(self, url: str, body: bytes, number: str) -> str:
        self.told.append((url, json.loads(body), number))
        self.heard.set()
        return self.answers.pop(0) if self.answers else ""

    async def wait(self) -> tuple[str, Any, str]:
        async with asyncio.timeout(patience(30)):
            await self.heard.wait()
        return self.told[-1]


@pytest.fixture
def options(tmp_path: Path) -> EmbeddedOptions:
    return EmbeddedOptions(tmp_path / "agent.sqlite", {"echo": graphs.echo, "broken": graphs.broken_factory})


async def test_a_run_tells_what_it_ended_with(served: Served, options: EmbeddedOptions) -> None:
    hooks = Hooks()
    async with served(replace(options, webhooks=hooks)) as client:
        run = await client.runs.create(None, "echo", input=HI, webhook=HOOK, on_completion="keep")
        url, body, number = await hooks.wait()
        assert (url, number, body["run_id"], body["status"]) == (
            HOOK,
            run["run_id"],
            run["run_id"],
            "success",
        )
        assert body["values"]["messages"][-1]["content"] == "You said: hi"
        hooks.heard.clear()
        await client.runs.create(None, "broken", input=HI, webhook=HOOK)
        _, body, _ = await hooks.wait()
        assert (body["status"], body["error"]["error"], body["values"]) == ("error", "LookupError", None)


async def test_what_was_not_taken_is_told_again_after_a_restart(
    served: Served, options: EmbeddedOptions
) -> None:
    first, second = Hooks(answers=["HTTP 503"] * 100), Hooks()
    async with served(replace(options, webhooks=first)) as client:
        await client.runs.create(None, "echo", input=HI, webhook=HOOK)
        await first.wait()
    later = replace(options, webhooks=second)
    async with served(later):
        await second.wait()
    assert second.told == first.told[:1]


async def test_addresses_are_checked_before_anything_runs(served: Served, options: EmbeddedOptions) -> None:
    async with served(options) as client:
        with pytest.raises(UnprocessableEntityError, match="posts nothing"):
            await client.runs.create(None, "echo", input=HI, webhook=HOOK)
    async with served(replace(options, webhooks=Hooks())) as client:
        order: Any = {"assistant_id": "echo", "input": HI, "webhook": HOOK}
        with pytest.raises(UnprocessableEntityError, match="not there"):
            await client.runs.create_batch([order, order | {"webhook": "http://10.0.0.1"}])
        thread = str(uuid4())
        with pytest.raises(HTTPStatusError, match="not there"):
            await client.runs.wait(thread, "echo", input=HI, webhook="x", if_not_exists="create")
        assert not await client.threads.search(ids=[thread])
