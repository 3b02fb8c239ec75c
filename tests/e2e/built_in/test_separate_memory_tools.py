"""The built-in agent in a process of its own uses the memory of the Parley that talks to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from tests.kit.doubles.llm_provider import Provider, provider
from tests.kit.product.process import AGENT_KEY, asking
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson
from tests.unit.server.default_agent.scripted_model import Said, calls, offered, repeats_result, streams

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

pytest.importorskip("mcp")
NAMES = {"memory_search", "memory_add", "memory_update", "memory_delete", "conversation_search"}


@asynccontextmanager
async def apart(folder: Path, model: Provider, **memory: object) -> AsyncIterator[WebPerson]:
    """Somebody at a Parley whose agent is `parley agent` on this model."""
    console = free_port()
    about = {"tools_url": f"http://127.0.0.1:{console}/mcp", **memory}
    ours = {"model": "openai:m", "model_api_key": "k", "base_url": model.url, "api_key": AGENT_KEY}
    for name in ("agent", "parley"):
        (folder / name).mkdir()
    agent = begin(folder / "agent", {"agent": ours, "memory": about}, "agent", "--port", str(free_port()))
    try:
        await asyncio.to_thread(agent.wait_until_up)
        config = {"agent": asking(agent.url), "memory": about, "console": {"port": console}}
        parley = begin(folder / "parley", config)
        try:
            await asyncio.to_thread(parley.wait_until_up)
            person = WebPerson(parley.url)
            yield person
            person.close()
        finally:
            end(parley)
    finally:
        end(agent)


async def test_it_saves_finds_corrects_and_asks_before_it_forgets(tmp_path: Path) -> None:
    async with provider() as model, apart(tmp_path, model) as person:

        async def answered(text: str, *answers: Said) -> str:
            model.answers[:] = answers
            return (await asyncio.to_thread(person.ask, text)).text

        said = "Please remember that I play the viola"
        saved = await answered(said, calls("memory_add", content="Plays the viola"), repeats_result)
        assert "Remembered: Plays the viola" in saved
        assert set(offered(model.asked[-1])) >= NAMES
        found = await answered("What do I play?", calls("memory_search", query="viola"), repeats_result)
        fact = found.partition('"id": "')[2].partition('"')[0]
        assert fact
        past = await answered("And since when?", calls("conversation_search", query="viola"), repeats_result)
        assert said in past
        fixed = await answered(
            "No, the cello",
            calls("memory_update", fact_id=fact, content="Plays the cello"),
            repeats_result,
        )
        assert "Corrected in your memory: Plays the cello" in fixed
        asked = await answered("Forget that", calls("memory_delete", fact_id=fact), repeats_result)
        assert "Nothing is forgotten yet" in asked
        assert "/memory forget" not in asked
        await asyncio.to_thread(person.until, lambda text: "Forget this for good?" in text)
        (question,) = [entry["question"] for entry in person.entries() if entry.get("question")]
        await asyncio.to_thread(person.decide, question["id"], "approve")
        await asyncio.to_thread(person.until, lambda text: "Approve forget" in text)
        gone = await answered("Which one?", calls("memory_search", query="cello"), repeats_result)
        assert json.loads(gone) == {"facts": []}
        planted = await answered("Hi", calls("memory_add", content="Owns a yacht"), repeats_result)
        assert "The person did not say that" in planted


async def test_where_tools_are_off_it_has_none(tmp_path: Path) -> None:
    async with provider(streams(content="hello")) as model, apart(tmp_path, model, tools=False) as person:
        assert (await asyncio.to_thread(person.ask, "hi")).text == "hello"
        assert not NAMES & set(offered(model.asked[-1]))
