"""A model names a conversation while its first message is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from starlette.responses import JSONResponse, Response

from parley.server.default_agent.titles import ThreadTitle
from parley.server.options import DefaultAgentOptions
from tests.kit.doubles.llm_provider import fails, says
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.scripted_model import Asked, Said, streams

TITLED = DefaultAgentOptions(titles="m")


def names(title: Said) -> Said:
    """Answer `title` where one is asked for, and else say how often the model was asked."""

    def answer(asked: Asked) -> Response:
        if asked["messages"][0]["content"].startswith("Write a title"):
            assert asked["messages"][1]["content"] == "how do I brew tea"
            return title(asked)
        return streams(content="With water.")(asked)

    return answer


def titled(text: str) -> Said:
    return lambda asked: (streams(content=text) if asked.get("stream") else says(text))(asked)


async def test_the_first_answer_brings_the_title_and_no_other_does(tmp_path: Path) -> None:
    async with conversation(tmp_path, TITLED) as talk:
        told = await talk.say("how do I brew tea", names(titled('"**Brewing** tea"\n')))
        assert (told.text, told.title) == ("With water.", "Brewing tea")
        assert len(talk.model.asked) == 2
        shown = [each.text for each in talk.core.channel.shown]
        assert not [text for text in shown if "Brewing" in text]
        told = await talk.say("and coffee?")
        assert (told.text, told.title) == ("With water.", "")
        assert len(talk.model.asked) == 3
        record, _ = await talk.core.services.conversations.read(told.conversation)
        assert record.title == "Brewing tea"


@pytest.mark.parametrize("title", [fails(500), titled(" "), lambda asked: JSONResponse({})])
async def test_an_answer_needs_no_title(tmp_path: Path, title: Said) -> None:
    async with conversation(tmp_path, TITLED) as talk:
        told = await talk.say("how do I brew tea", names(title))
        assert (told.text, told.title) == ("With water.", "")


async def test_a_mention_below_what_others_said_names_the_conversation() -> None:
    graph = create_agent(
        GenericFakeChatModel(messages=iter([AIMessage("With water.")])),
        middleware=[ThreadTitle(FakeListChatModel(responses=["Brewing tea"]))],
    )
    above = HumanMessage("[What was said]", additional_kwargs={"hide_from_ui": True})
    asked = HumanMessage('<from name="Ann" account="slack:U1">\nhow do I brew tea')
    state: Any = {"messages": [above, asked]}
    assert (await graph.ainvoke(state))["title"] == "Brewing tea"


async def test_without_the_setting_nobody_is_asked(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions()) as talk:
        await talk.say("how do I brew tea", names(titled("no")))
        assert len(talk.model.asked) == 1
