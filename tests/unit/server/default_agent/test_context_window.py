"""A conversation outlives its model's window: older messages become a summary, and no turn fails."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph_sdk.client import LangGraphClient
from starlette.responses import JSONResponse, Response

from parley.server.default_agent.context_window import shortened
from parley.server.options import DefaultAgentOptions, EmbeddedOptions, ModelOptions
from tests.unit.server.conftest import Served
from tests.unit.server.default_agent.small_model import SUMMARY_ASKED, SmallModel, said, small_model, words_of

WINDOW = 2_000


def answers(body: dict[str, Any]) -> str:
    """Say which turn was asked about and what the first one was about; a summary keeps the latter."""
    words = " ".join(words_of(message) for message in body["messages"] if message["role"] != "system")
    flower = "flower: tulip" if "tulip" in words else "flower: unknown"
    if SUMMARY_ASKED in words:
        return f"They spoke about turns. {flower}"
    return f"answer {re.findall('turn ([0-9]+)', words)[-1]}, {flower}"


async def ask(client: LangGraphClient, thread: str, words: str) -> dict[str, Any]:
    ended: Any = await client.runs.wait(thread, "agent", input=said(words))
    return dict(ended)


def options(folder: Path, url: str, window: int = 0) -> EmbeddedOptions:
    model = ModelOptions("m", "openai:m", url, "key", max_retries=0)
    return EmbeddedOptions(
        folder / "agent.sqlite", models=(model,), default_agent=DefaultAgentOptions(context_window=window)
    )


@pytest.mark.parametrize("turns", [50, pytest.param(200, marks=pytest.mark.long)])
async def test_a_conversation_of_any_length_goes_on(tmp_path: Path, served: Served, turns: int) -> None:
    async with (
        small_model(SmallModel(WINDOW, answers)) as model,
        served(options(tmp_path, model.url, WINDOW)) as client,
    ):
        thread = (await client.threads.create())["thread_id"]
        await ask(client, thread, "turn 0: my favourite flower is the tulip")
        for number in range(1, turns):
            ended = await ask(client, thread, f"turn {number}: {'something more to say ' * 20}")
            assert ended["messages"][-1]["content"] == f"answer {number}, flower: tulip"
    assert model.refused == 0
    assert len(model.talks) == turns
    assert len(ended["messages"]) < 40
    assert sum("summarization" in str(each.get("additional_kwargs")) for each in ended["messages"]) == 1


async def test_a_window_that_nobody_told_of_is_found_by_being_refused(tmp_path: Path, served: Served) -> None:
    async with (
        small_model(SmallModel(WINDOW, answers)) as model,
        served(options(tmp_path, model.url)) as client,
    ):
        thread = (await client.threads.create())["thread_id"]
        for number in range(25):
            ended = await ask(client, thread, f"turn {number}: {'something more to say ' * 20}")
            assert ended["messages"][-1]["content"].startswith(f"answer {number},")
    assert model.refused > 0


@pytest.mark.parametrize(
    "refusal",
    [
        "the request exceeds the available context size. try increasing the context size",
        "This model's maximum context length is 2000 tokens, however you requested 9000 tokens.",
        "litellm.ContextWindowExceededError: too much",
    ],
)
async def test_one_message_that_is_longer_than_the_window_is_shortened(
    tmp_path: Path, served: Served, refusal: str
) -> None:
    def refuses(tokens: int, window: int) -> Response:
        return JSONResponse({"error": {"message": refusal, "type": "invalid_request_error"}}, 400)

    async with (
        small_model(SmallModel(WINDOW, answers, refuses)) as model,
        served(options(tmp_path, model.url, WINDOW)) as client,
    ):
        thread = (await client.threads.create())["thread_id"]
        ended = await ask(client, thread, f"turn 7: {'a book of many words ' * 5_000} (still turn 7)")
    assert ended["messages"][-1]["content"].startswith("answer 7")
    assert "characters are left out here" in words_of(model.talks[-1]["messages"][-1])
    assert "left out" not in ended["messages"][0]["content"]


async def test_what_has_nothing_to_do_with_length_is_not_tried_again(tmp_path: Path, served: Served) -> None:
    def refuses(tokens: int, window: int) -> Response:
        return JSONResponse({"error": {"message": "no such parameter", "type": "invalid_request_error"}}, 400)

    async with (
        small_model(SmallModel(0, answers, refuses)) as model,
        served(options(tmp_path, model.url)) as client,
    ):
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "agent", input=said("turn 1"), raise_error=False)
        state = await client.threads.get(thread)
    assert state["status"] == "error"
    assert model.refused == 1


async def test_the_model_that_a_person_chose_has_its_own_window(tmp_path: Path, served: Served) -> None:
    async with small_model(SmallModel(WINDOW, answers)) as model:
        models = tuple(ModelOptions(name, f"openai:{name}", model.url, "key") for name in ("one", "two"))
        both = EmbeddedOptions(
            tmp_path / "agent.sqlite",
            models=models,
            default_agent=DefaultAgentOptions(context_window=WINDOW),
        )
        async with served(both) as client:
            thread = (await client.threads.create())["thread_id"]
            for number in range(20):
                await client.runs.wait(
                    thread,
                    "agent",
                    input=said(f"turn {number}: {'more words ' * 60}"),
                    context={"model_name": "two"},
                )
    assert {body["model"] for body in model.asked} == {"two"}
    assert len(model.asked) > len(model.talks)


async def test_a_model_that_is_out_of_order_is_stood_in_for(tmp_path: Path, served: Served) -> None:
    async with small_model(SmallModel(WINDOW, answers, broken={"one"})) as model:
        models = tuple(
            ModelOptions(name, f"openai:{name}", model.url, "key", max_retries=0) for name in ("one", "two")
        )
        both = EmbeddedOptions(
            tmp_path / "agent.sqlite", models=models, default_agent=DefaultAgentOptions(fallbacks=("two",))
        )
        async with served(both) as client:
            thread = (await client.threads.create())["thread_id"]
            ended = await ask(client, thread, "turn 3")
    assert ended["messages"][-1]["content"].startswith("answer 3")
    assert model.asked[-1]["model"] == "two"


def test_turns_are_left_out_whole_and_the_oldest_first() -> None:
    call: Any = {"name": "look", "args": {}, "id": "1", "type": "tool_call"}
    messages: list[AnyMessage] = [
        HumanMessage("one"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("found", tool_call_id="1"),
        AIMessage("first"),
        HumanMessage("two"),
        AIMessage("second"),
    ]
    assert shortened(messages) == messages[4:]
    assert shortened(messages[4:]) is None
    assert shortened([]) is None
