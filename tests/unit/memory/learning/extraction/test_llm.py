"""One model call, against a server that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from starlette.responses import PlainTextResponse

from parley.core.model.errors import ConfigError, MemoryFailed
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
from tests.kit.doubles.completions.threaded import threaded_llm_provider
from tests.kit.doubles.llm_provider import calls_tool, fails, learns, provider, says, until


def model(at, **changes):
    return LangchainModel(ModelSettings("openai:tiny", at.url, "key-1", **changes))


async def test_the_provider_is_asked_for_structured_output_and_never_streams():
    async with provider(says("{}")) as served:
        answer = await model(served, temperature=0.25).ask("rules", "about")
    (asked,) = served.asked
    assert answer.text == "{}"
    assert served.keys == ["Bearer key-1"]
    assert [each["content"] for each in asked["messages"]] == ["rules", "about"]
    assert asked["model"] == "tiny"
    assert asked["temperature"] == 0.25
    assert asked["response_format"]["type"] == "json_schema"
    assert "newFacts" in json.dumps(asked["response_format"])
    assert not asked.get("stream")


async def test_the_arguments_of_a_tool_call_are_an_answer():
    async with provider(calls_tool('{"newFacts": []}')) as served:
        answer = await model(served).ask("rules", "about")
    assert answer.objects == ({"newFacts": []},)


async def test_a_provider_without_structured_output_is_asked_plainly_from_then_on():
    async with provider(fails(400, "response_format is not supported"), says("one"), says("two")) as served:
        asking = model(served)
        said = [(await asking.ask("rules", "about")).text for _ in range(2)]
    assert said == ["one", "two"]
    assert ["response_format" in asked for asked in served.asked] == [True, False, False]


async def test_an_answer_that_is_no_json_is_handed_on_for_tolerant_reading():
    async with provider(says("<think>hm</think> Sorry, {")) as served:
        answer = await model(served).ask("rules", "about")
    assert answer.text == "<think>hm</think> Sorry, {"


@pytest.mark.parametrize("status", [401, 429, 500, 503])
async def test_a_failing_provider_is_a_failure_of_memory_with_its_cause(status):
    async with provider(fails(status)) as served:
        with pytest.raises(MemoryFailed, match="openai:tiny failed") as raised:
            await model(served).ask("rules", "about")
    assert raised.value.__cause__ is not None


async def test_garbage_from_the_wire_is_a_failure_of_memory():
    async with provider(lambda asked: PlainTextResponse("<html>")) as served:
        with pytest.raises(MemoryFailed):
            await model(served).ask("rules", "about")


async def test_a_provider_that_is_not_there_is_a_failure_of_memory():
    asking = LangchainModel(ModelSettings("openai:tiny", "http://127.0.0.1:9/v1", "key-1"))
    with pytest.raises(MemoryFailed):
        await asking.ask("rules", "about")


async def test_a_silent_provider_is_given_up_after_its_time():
    async with provider() as served:
        served.silent = True
        asking = model(served, timeout=0.3)
        await asking.open()
        with pytest.raises(MemoryFailed):
            await asking.ask("rules", "about")


async def test_a_cancelled_call_is_over_at_once():
    async with provider(learns("x")) as served:
        served.silent = True
        asking = model(served)
        call = asyncio.create_task(asking.ask("rules", "about"))
        await until(lambda: served.asked)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


@pytest.mark.parametrize("name", ["nonsense", "nobody:gpt", "mistralai:m"])
async def test_a_model_that_cannot_be_is_said_at_the_start(name):
    with pytest.raises(ConfigError, match=rf"memory\.model_name: {name} "):
        await LangchainModel(ModelSettings(name)).open()


async def test_calls_from_several_lessons_share_one_loop_and_one_client():
    async with provider(says("{}")) as served:
        asking = model(served)
        answers = await asyncio.gather(*(asking.ask("rules", f"about {number}") for number in range(8)))
    assert [answer.text for answer in answers] == ["{}"] * 8
    assert sorted(served.prompts) == [f"about {number}" for number in range(8)]


def test_another_memory_in_this_process_has_connections_of_its_own():
    program = """
import asyncio, sys
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
for _ in range(2):
    asking = LangchainModel(ModelSettings("openai:tiny", sys.argv[1], "key-1"))
    print(asyncio.run(asking.ask("rules", "about")).text)
"""
    with threaded_llm_provider() as url:
        said = subprocess.run(
            [sys.executable, "-c", program, url], capture_output=True, text=True, check=True
        )
    assert said.stdout.split() == ["{}", "{}"]


def test_the_key_is_in_no_text_about_the_settings():
    assert "key-1" not in repr(ModelSettings("openai:tiny", "http://x", "key-1"))
