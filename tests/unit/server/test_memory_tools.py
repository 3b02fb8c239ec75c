"""A conversation with the built-in agent, whose scripted model uses each memory tool."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.ports.agent import Agent
from parley.core.ports.memory.tools import TOOL_NAMES, TOOLS_KEY
from parley.memory.tools.service import ScopedMemoryTools
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions, ModelOptions
from tests.kit.doubles.llm_provider import Provider, provider
from tests.kit.waiting import until
from tests.unit.memory.tools.scene import Scene, scene
from tests.unit.server.default_agent.scripted_model import Said, calls, repeats_result, streams


def built_in(folder: Path, url: str) -> Callable[[ScopedMemoryTools], AbstractAsyncContextManager[Agent]]:
    @asynccontextmanager
    async def opened(tools: ScopedMemoryTools) -> AsyncIterator[Agent]:
        models = (ModelOptions("m", "openai:m", url, "key"),)
        options = EmbeddedOptions(folder / "agent.sqlite", models=models, memory_tools=tools)
        async with embedded_server(options) as server:
            transport = StreamingASGITransport(server)
            async with LangGraphAgent(
                AgentEndpoint("http://embedded", "", {}), files=folder, transport=transport
            ) as agent:
                yield agent

    return opened


async def answer(here: Scene, model: Provider, text: str, *answers: Said) -> str:
    """What is answered to this, where the model answers so."""
    model.answers[:] = answers
    before = len(here.core.channel.finals)
    await here.core.say(text)
    await here.core.channel.until_finals(before + 1)
    await until(lambda: here.core.nothing_waits("turns/test"), "the turn is over")
    return here.core.channel.finals[before].text


async def test_the_built_in_agent_uses_each_tool_and_asks_before_it_forgets(tmp_path: Path) -> None:
    async with provider() as model, scene(tmp_path, agent=built_in(tmp_path, model.url)) as here:
        said = "Please remember that I play the viola"
        saved = await answer(
            here, model, said, calls("memory_add", content="Plays the viola"), repeats_result
        )
        assert '"content": "Plays the viola"' in saved
        assert "Remembered: Plays the viola" in saved
        names = [each["function"]["name"] for each in model.asked[-1]["tools"]]
        assert names == list(TOOL_NAMES)
        (fact,) = (await here.memory.overview("test:ann")).facts

        found = await answer(
            here, model, "What do I play?", calls("memory_search", query="viola"), repeats_result
        )
        assert fact.id in found
        recalled = await answer(
            here, model, "And when did I say so?", calls("conversation_search", query="viola"), repeats_result
        )
        assert said in recalled
        corrected = await answer(
            here,
            model,
            "No, I play the cello now",
            calls("memory_update", fact_id=fact.id, content="Plays the cello"),
            repeats_result,
        )
        assert "Corrected in your memory: Plays the cello" in corrected

        await answer(here, model, "Forget that", calls("memory_delete", fact_id=fact.id))
        await asked_to_forget(here)
        assert [each.content for each in (await here.memory.overview("test:ann")).facts] == [
            "Plays the cello"
        ]
        assert "/memory forget" not in here.core.channel.finals[-1].text
        forgotten = await answer(here, model, "yes", repeats_result)
        assert '"forgotten": 1' in forgotten
        assert (await here.memory.overview("test:ann")).facts == ()


async def asked_to_forget(here: Scene) -> None:
    """Return when the person was asked."""
    await here.core.channel.until(
        lambda: any("Forget this for good?" in final.text for final in here.core.channel.finals)
    )


async def test_what_a_person_does_not_want_forgotten_stays(tmp_path: Path) -> None:
    async with provider() as model, scene(tmp_path, agent=built_in(tmp_path, model.url)) as here:
        await here.memory.add("test:ann", "Plays the viola")
        (fact,) = (await here.memory.overview("test:ann")).facts
        await answer(here, model, "Forget that", calls("memory_delete", fact_id=fact.id))
        await asked_to_forget(here)
        kept = await answer(here, model, "no", repeats_result)
        assert "wants it to be kept" in kept
        assert [each.content for each in (await here.memory.overview("test:ann")).facts] == [
            "Plays the viola"
        ]


async def test_a_run_without_a_token_has_no_tools_and_the_model_never_sees_the_token(tmp_path: Path) -> None:
    async with provider() as model, scene(tmp_path, on=False, agent=built_in(tmp_path, model.url)) as here:
        await answer(here, model, "hello", streams(content="hi"))
        assert not model.asked[-1].get("tools")
    async with provider() as model, scene(tmp_path, agent=built_in(tmp_path, model.url)) as here:
        await answer(here, model, "hello", streams(content="hi"))
        assert model.asked[-1]["tools"]
        assert TOOLS_KEY not in json.dumps(model.asked)
