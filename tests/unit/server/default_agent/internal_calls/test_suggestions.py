"""A model suggests what to say next, once the agent has answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from starlette.responses import JSONResponse, Response

from parley.core.model.types import OutboundMessage
from parley.server.default_agent import suggestions
from parley.server.default_agent.suggestions import SuggestedMessages, read_suggestions
from parley.server.options import DefaultAgentOptions, TaskOptions, ToolRules
from tests.kit.doubles.llm_provider import fails, says
from tests.unit.server.default_agent.conversation import Talk, conversation
from tests.unit.server.default_agent.scripted_model import Asked, Said, calls, repeats_result, streams

SUGGESTING = DefaultAgentOptions(suggestions="m")
ASKED = "may well want to send next"


def is_asked(asked: Asked) -> bool:
    return ASKED in str(asked["messages"][0]["content"])


def suggests(*texts: str, answer: Said | None = None) -> Said:
    """Suggest `texts` where that is asked for, and else answer."""
    said = json.dumps(list(texts), ensure_ascii=False)
    return suggests_as(says_either(said), answer)


def suggests_as(suggestion: Said, answer: Said | None = None) -> Said:
    other = answer or streams(content="With water.")
    return lambda asked: (suggestion if is_asked(asked) else other)(asked)


def says_either(text: str) -> Said:
    return lambda asked: (streams(content=text) if asked.get("stream") else says(text))(asked)


def asked_for_suggestions(talk: Talk) -> list[Asked]:
    return [each for each in talk.model.asked if is_asked(each)]


async def test_an_answer_brings_what_may_be_said_next(tmp_path: Path) -> None:
    async with conversation(tmp_path, SUGGESTING) as talk:
        told = await talk.say(
            "how do I brew tea", suggests("Which tea?", "How hot?", "For how long?", "Why?")
        )
        assert (told.text, told.suggestions) == ("With water.", ("Which tea?", "How hot?", "For how long?"))
        assert told.steps == ()
        (asked,) = asked_for_suggestions(talk)
        words = json.loads(asked["messages"][1]["content"])
        assert words == {"person": "how do I brew tea", "assistant": "With water."}
        # Nothing of them is part of what people read while the answer grows.
        assert not [each for each in talk.core.channel.shown if "Which" in each.text or each.steps]


async def test_those_of_an_earlier_answer_are_forgotten_first(tmp_path: Path) -> None:
    async with conversation(tmp_path, SUGGESTING) as talk:
        assert (await talk.say("how do I brew tea", suggests("Which tea?"))).suggestions
        told = await talk.say("and coffee?", suggests_as(fails(500)))
        assert (told.text, told.suggestions) == ("With water.", ())
        told = await talk.say("and milk?", suggests("Which milk?"))
        assert told.suggestions == ("Which milk?",)


@pytest.mark.parametrize(
    "suggestion", [fails(500), says_either(" "), says_either("[]"), lambda asked: JSONResponse({})]
)
async def test_an_answer_needs_none(tmp_path: Path, suggestion: Said) -> None:
    async with conversation(tmp_path, SUGGESTING) as talk:
        told = await talk.say("how do I brew tea", suggests_as(suggestion))
        assert (told.text, told.suggestions) == ("With water.", ())


async def test_an_answer_does_not_wait_for_a_slow_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestions, "_PATIENCE", 0.05)
    async with conversation(tmp_path, SUGGESTING) as talk:
        talk.model.stalls = is_asked
        told = await talk.say("how do I brew tea", suggests("Which tea?"))
        assert (told.text, told.suggestions) == ("With water.", ())


async def test_long_words_are_cut_in_the_middle(tmp_path: Path) -> None:
    async with conversation(tmp_path, SUGGESTING) as talk:
        answer = "begin " + "a" * 9_000 + " end"
        await talk.say("x" * 5_000 + " how?", suggests("Why?", answer=streams(content=answer)))
        words = json.loads(asked_for_suggestions(talk)[0]["messages"][1]["content"])
        assert max(map(len, words.values())) < 2_100
        assert words["person"].endswith(" how?")
        assert (words["assistant"][:6], words["assistant"][-4:]) == ("begin ", " end")


async def test_a_turn_that_asks_suggests_nothing_and_its_answer_does(tmp_path: Path) -> None:
    options = DefaultAgentOptions(suggestions="m", clarification=True)
    async with conversation(tmp_path, options) as talk:
        asks = calls("ask_person", question="Green or black?", options=["green", "black"])
        talk.model.answers[:] = [suggests("Which tea?", answer=asks)]
        await talk.core.say("how do I brew tea")
        await talk.until_asked("Green or black?")
        assert not asked_for_suggestions(talk)
        assert not any(each.suggestions for each in talk.core.channel.finals)
        talk.model.answers[:] = [suggests("Which pot?")]
        await talk.core.say("green")
        await talk.core.channel.until(
            lambda: any(each.text == "With water." for each in talk.core.channel.finals)
        )
        assert talk.core.channel.finals[-1].suggestions == ("Which pot?",)


async def test_a_run_that_a_limit_ends_suggests_nothing(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text('def look() -> str:\n    """Look."""\n    return "nothing"\n')
    rules = ToolRules(never_ask=("*",), model_calls_per_run=2)
    options = DefaultAgentOptions(suggestions="m", tools=(f"{tmp_path / 'own.py'}:look",), rules=rules)
    async with conversation(tmp_path, options) as talk:
        first = await talk.say("look", suggests("Again?", answer=streams(content="No.")))
        assert first.suggestions == ("Again?",)
        told = await talk.say("look", suggests("Again?", answer=calls("look")))
        assert told.suggestions == ()
        assert len(asked_for_suggestions(talk)) == 1


async def test_subagents_suggest_nothing(tmp_path: Path) -> None:
    options = DefaultAgentOptions(suggestions="m", tasks=TaskOptions())

    def answer(asked: Asked) -> Response:
        begins = asked["messages"][-1]["content"]
        if begins == "brew it":
            return calls("task", description="find water", agent="general-purpose")(asked)
        return streams(content="Found.")(asked) if begins == "find water" else repeats_result(asked)

    async with conversation(tmp_path, options) as talk:
        told = await talk.say("brew it", suggests("Is it hot?", answer=answer))
        assert (told.text, told.suggestions) == ("Found.", ("Is it hot?",))
        assert len(asked_for_suggestions(talk)) == 1


async def test_without_the_setting_nobody_is_asked(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions()) as talk:
        told: OutboundMessage = await talk.say("how do I brew tea", suggests("no"))
        assert told.suggestions == ()
        assert len(talk.model.asked) == 1


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ('["Which tea?", "How hot?"]', ["Which tea?", "How hot?"]),
        ('```json\n["Which tea?",\n "How hot?"]\n```', ["Which tea?", "How hot?"]),
        ('{"suggestions": ["Which tea?"]}', ["Which tea?"]),
        ('Here they are: ["Which tea?"] Enjoy!', ["Which tea?"]),
        ("1. Which tea?\n2) How hot?\n(3) Why?", ["Which tea?", "How hot?", "Why?"]),
        ("Here are three:\n- Which tea?\n* **How hot?**\n• “Why?”", ["Which tea?", "How hot?", "Why?"]),
        ("Which tea?\n\nHow hot?", ["Which tea?", "How hot?"]),
        ("1、哪种茶？\n2、水要多热？", ["哪种茶？", "水要多热？"]),
        ('["「哪种茶？」", "`rm -rf` what?"]', ["哪种茶？", "rm -rf` what?"]),
        ("<think>[1] They want [tea]</think>\n[\"Which tea?\"]", ["Which tea?"]),
        ('["Which\\n  tea?", "Which tea?"]', ["Which tea?"]),
        ('["Which tea?", 1, null, {"a": 2}, ["How hot?"], ""]', ["Which tea?"]),
        ('["Which tea?", "How h', []),
        ('[\n"Which tea?",\n"How h', []),
        ('{"a": "Which tea?"}', []),
        ("[" * 4_000, []),
        ("[]", []),
        ("...\n---\n?", []),
        (json.dumps(["a" * 76, "b" * 75, "/memory forget"]), ["b" * 75]),
        (json.dumps(["x?"] * 100), ["x?"]),
        ("", []),
    ],
)  # fmt: skip
def test_models_write_them_in_many_shapes(said: str, read: Sequence[str]) -> None:
    assert read_suggestions(said) == read


async def test_the_same_question_is_not_suggested_again(tmp_path: Path) -> None:
    async with conversation(tmp_path, SUGGESTING) as talk:
        told = await talk.say("Which tea?", suggests("which tea?", "How hot?"))
        assert told.suggestions == ("How hot?",)


async def test_nor_in_a_group_where_a_line_says_who_asked() -> None:
    answer = AIMessage("With water.", response_metadata={"model_name": "m"})
    suggesting = FakeListChatModel(responses=['["which tea?", "How hot?"]'])
    graph = create_agent(
        GenericFakeChatModel(messages=iter([answer])), middleware=[SuggestedMessages(suggesting)]
    )
    asked = HumanMessage('<from name="Ann" account="slack:U1">\nWhich tea?')
    state: Any = await graph.ainvoke({"messages": [asked]})
    assert state["suggestions"] == ["How hot?"]


async def test_who_stops_while_they_are_made_has_the_answer(tmp_path: Path) -> None:
    async with conversation(tmp_path, SUGGESTING) as talk:
        talk.model.stalls = is_asked
        talk.model.answers[:] = [suggests("Which tea?")]
        await talk.core.say("how do I brew tea")
        async with asyncio.timeout(60):
            await talk.core.channel.until(
                lambda: any("With water." in each.text for each in talk.core.channel.shown)
            )
        told = await talk.say("/stop")
        assert told.suggestions == ()


@pytest.mark.parametrize("said", [[], ["How hot?"]])
async def test_a_state_has_those_of_its_last_turn_alone(said: list[str]) -> None:
    answer = AIMessage("With water.", response_metadata={"model_name": "m"})
    # Without a response the model fails.
    suggesting = FakeListChatModel(responses=[json.dumps(said)] if said else [])
    graph = create_agent(
        GenericFakeChatModel(messages=iter([answer])), middleware=[SuggestedMessages(suggesting)]
    )
    stale: Any = {"messages": [HumanMessage("how do I brew tea")], "suggestions": ["Of the turn before?"]}
    state = await graph.ainvoke(stale)
    assert state["suggestions"] == said


async def test_a_summary_is_nothing_that_a_person_said() -> None:
    answer = AIMessage("With water.", response_metadata={"model_name": "m"})
    suggesting = FakeListChatModel(responses=['["How hot?"]'])
    graph = create_agent(
        GenericFakeChatModel(messages=iter([answer])), middleware=[SuggestedMessages(suggesting)]
    )
    summary = HumanMessage("They talked.", additional_kwargs={"lc_source": "summarization"})
    state: Any = await graph.ainvoke({"messages": [summary]})
    assert "suggestions" not in state
