"""The default graph on configured models, against a small server that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from parley.app.composition.embedded.options import embedded_options
from parley.app.process.logs import find_secrets
from parley.app.settings.load import read_settings
from parley.core.model.errors import ConfigError
from parley.server.default_agent.models import chat_model
from parley.server.options import EmbeddedOptions, ModelOptions
from tests.kit.doubles.completions.endpoint import completions_endpoint
from tests.kit.doubles.completions.threaded import threaded_llm_provider
from tests.unit.server.conftest import Served

HI: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}


@dataclass
class Provider:
    """Answers every completion with the name of the model that was asked for, in two pieces."""

    url: str = ""
    keys: list[str] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def complete(self, request: Request) -> StreamingResponse:
        self.keys.append(request.headers["authorization"])
        body = await request.json()
        model = body["model"]
        self.bodies.append(body)
        self.asked.append(body.get("stream_options"))
        return StreamingResponse(self._chunks(model), media_type="text/event-stream")

    async def _chunks(self, model: str) -> AsyncIterator[str]:
        for delta in ({"role": "assistant", "content": "I am "}, {"content": model}):
            choice = {"index": 0, "delta": delta, "finish_reason": None}
            body = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": model}
            yield f"data: {json.dumps({**body, 'choices': [choice]})}\n\n"
        yield "data: [DONE]\n\n"


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    made = Provider()
    async with completions_endpoint(made.complete) as made.url:
        yield made


async def test_a_person_may_choose_among_the_models(
    served: Served, tmp_path: Path, provider: Provider
) -> None:
    models = tuple(
        ModelOptions(name, f"openai:{name}-1", provider.url, f"key-{name}") for name in ("big", "small")
    )
    async with served(EmbeddedOptions(tmp_path / "db", models=models)) as client:
        said = []
        for context in ({}, {"model_name": "small"}, {"model_name": "unknown"}):
            stream = client.runs.stream(
                None, "agent", input=HI, context=context, stream_mode="messages-tuple"
            )
            said.append(
                "".join([part.data[0]["content"] async for part in stream if part.event == "messages"])
            )
        offered = await client.http.get("/models")
    assert said == ["I am big-1", "I am small-1", "I am big-1"]
    assert provider.keys == ["Bearer key-big", "Bearer key-small", "Bearer key-big"]
    assert offered == {"models": [{"name": "big"}, {"name": "small"}]}


@pytest.mark.parametrize("model", ["nonsense", "nobody:gpt", "mistralai:m"])
def test_a_model_that_cannot_be_is_said_at_the_start(model: str) -> None:
    with pytest.raises(ConfigError, match=rf"agent\.model: {model} "):
        chat_model(ModelOptions("m", model))


def test_a_key_goes_to_its_own_provider_only(tmp_path: Path) -> None:
    text = """
agent: {model: "openai:a", model_api_key: first, base_url: "http://one", models: [b, "openai:c", "groq:d"]}
built_in:
  models:
    b: {model: "anthropic:b", options: {temperature: 0.1}}
    "groq:d": {api_key: fourth, base_url: "http://four"}
"""
    models = embedded_options(read_settings(text, "config.yaml", {}, tmp_path)).models
    assert [(each.name, each.model, each.api_key, each.base_url) for each in models] == [
        ("openai:a", "openai:a", "first", "http://one"),
        ("b", "anthropic:b", "", ""),
        ("openai:c", "openai:c", "first", "http://one"),
        ("groq:d", "groq:d", "fourth", "http://four"),
    ]
    assert models[1].more == {"temperature": 0.1}
    assert "fourth" in find_secrets(read_settings(text, "config.yaml", {}, tmp_path).settings)


def test_a_model_that_can_think_is_offered_twice(tmp_path: Path) -> None:
    text = """
agent: {model: "openai:a", model_api_key: k, models: ["openai:b"]}
built_in:
  models: {"openai:a": {options: {temperature: 1}, thinking: {reasoning_effort: high}, vision: false}}
"""
    loaded = read_settings(text, "config.yaml", {}, tmp_path)
    names = ("openai:a", "openai:a thinking", "openai:b")
    assert loaded.settings.listed_models == names
    models = embedded_options(loaded).models
    assert tuple(each.name for each in models) == names
    assert [each.more for each in models[:2]] == [
        {"temperature": 1},
        {"temperature": 1, "reasoning_effort": "high"},
    ]
    assert models[1].model == "openai:a"
    assert (chat_model(models[1]).profile or {})["image_inputs"] is False


async def test_options_of_a_model_are_part_of_each_request(
    served: Served, tmp_path: Path, provider: Provider
) -> None:
    model = ModelOptions("m", "openai:m", provider.url, "key", more={"temperature": 0.25, "top_p": 0.5})
    async with served(EmbeddedOptions(tmp_path / "db", models=(model,))) as client:
        async for _ in client.runs.stream(None, "agent", input=HI, stream_mode="messages-tuple"):
            pass
    assert provider.bodies[-1].items() >= {"temperature": 0.25, "top_p": 0.5}.items()


def test_an_option_that_there_is_not_is_said_at_the_start() -> None:
    with pytest.raises(ConfigError, match=r"agent\.model: openai:m cannot be used"):
        chat_model(ModelOptions("m", "openai:m", api_key="k", more={"temperature": "warm"}))


@pytest.mark.parametrize("asks", [False, True])
async def test_a_server_of_ones_own_is_asked_for_tokens_only_where_that_is_wished(
    tmp_path: Path, served: Served, provider: Provider, asks: bool
) -> None:
    model = ModelOptions("m", "openai:m", provider.url, "key", report_tokens=asks)
    options = EmbeddedOptions(tmp_path / "agent.sqlite", models=(model,))
    async with served(options) as client:
        thread = await client.threads.create()
        async for _ in client.runs.stream(
            thread["thread_id"], "agent", input=HI, stream_mode="messages-tuple"
        ):
            pass
    assert provider.asked == [{"include_usage": True} if asks else None]


def test_another_server_in_this_process_has_connections_of_its_own() -> None:
    """They were shared by all models of one address, and those of a closed event loop failed."""
    made = "chat_model(ModelOptions('m', 'openai:m', sys.argv[1], 'k', max_retries=0))"
    program = f"""
import asyncio, sys
from parley.server.default_agent.models import chat_model
from parley.server.options import ModelOptions
for _ in range(2):
    print(asyncio.run({made}.ainvoke('hi')).content)
"""
    with threaded_llm_provider() as url:
        said = subprocess.run(
            [sys.executable, "-c", program, url], capture_output=True, text=True, check=True
        )
    assert said.stdout.split() == ["{}", "{}"]
