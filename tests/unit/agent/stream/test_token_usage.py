"""What a run took: every model call once, however it is heard; from real servers in both modes."""

from __future__ import annotations

from typing import TypedDict

import pytest

from parley.agent.agent import LangGraphAgent
from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json, RunEnded, RunMode, RunRequest
from parley.core.model.usage import TokenUsage
from tests.kit.doubles.langgraph_server import FakeServer, Frame, Script
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, answer, chunk, human, request, tool, update

ASKED = TurnAnchor(MESSAGE_ID, "hi")


class Used(TypedDict):
    """What a message says of the tokens that it took."""

    usage_metadata: Json
    response_metadata: Json


def used(read: int, written: int, model: str = "") -> Used:
    about: dict[str, Json] = {"model_name": model} if model else {}
    counts: Json = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return {"usage_metadata": counts, "response_metadata": about}


def heard(*frames: Frame) -> tuple[TokenUsage, ...]:
    transcript = RunTranscript(ASKED)
    for number, (event, data) in enumerate(frames):
        transcript.apply(event, data, str(number))
    return transcript.meter.total()


def test_the_pieces_of_a_message_add_up() -> None:
    assert heard(chunk("a", **used(10, 1)), chunk("b"), chunk("", **used(0, 4, "m"))) == (
        TokenUsage("m", 10, 5),
    )


def test_a_piece_with_words_and_tokens_is_shown_and_counted() -> None:
    transcript = RunTranscript(ASKED)
    for number, piece in enumerate((chunk("a"), chunk("b", **used(3, 1)), chunk("c", **used(0, 1)))):
        assert transcript.apply(*piece, str(number))
    assert transcript.text() == "abc"
    assert transcript.meter.total() == (TokenUsage("", 3, 2),)


def test_a_whole_message_takes_the_place_of_its_pieces() -> None:
    whole = update(ai("ab", **used(10, 5, "m")))
    assert heard(chunk("a"), chunk("b", **used(10, 5)), whole) == (TokenUsage("m", 10, 5),)


def test_several_calls_add_up_by_model() -> None:
    assert heard(
        update(ai("", "a1", **used(10, 2, "small"))),
        update(tool("5")),
        update(ai("five", "a2", **used(20, 3, "small"))),
        update(ai("!", "a3", **used(1, 1, "large"))),
    ) == (TokenUsage("small", 30, 5), TokenUsage("large", 1, 1))


@pytest.mark.parametrize(
    "meta",
    [
        {"langgraph_checkpoint_ns": "call:1|model:2"},
        {"lc_source": "summarization"},
        {"tags": ["nostream"]},
    ],
)
def test_what_people_do_not_see_has_its_price_too(meta: dict[str, Json]) -> None:
    hidden: Frame = ("messages", [ai("x", **used(7, 1, "m")), meta])
    assert heard(hidden, *answer("seen", message_id="a2")) == (TokenUsage("m", 7, 1),)


def test_older_messages_that_come_back_are_not_counted() -> None:
    history: list[Json] = [
        human("before", "h0"),
        ai("old", "a0", **used(99, 99)),
        human(),
        ai("new", **used(1, 2)),
    ]
    assert heard(update(*history)) == (TokenUsage("", 1, 2),)
    assert heard(("values", {"messages": history})) == (TokenUsage("", 1, 2),)


def test_an_account_in_a_providers_own_words_is_understood() -> None:
    about: Json = {"token_usage": {"prompt_tokens": 5, "completion_tokens": 6}, "model_name": "m"}
    assert heard(update(ai("x", response_metadata=about))) == (TokenUsage("m", 5, 6),)


@pytest.mark.parametrize(
    "account", [None, {}, [], "many", {"input_tokens": "7"}, {"input_tokens": -3, "output_tokens": 10**30}]
)
def test_what_makes_no_sense_is_nothing(account: Json) -> None:
    assert heard(update(ai("x", usage_metadata=account, response_metadata=account))) == ()


def test_people_and_tools_take_no_tokens() -> None:
    assert heard(update(human("x", **used(1, 1))), update(tool("x", **used(1, 1)))) == ()


def test_a_run_that_is_told_again_from_the_start_is_counted_once() -> None:
    transcript = RunTranscript(ASKED)
    begun: Frame = ("metadata", {"run_id": "r"})
    for frame in (begun, chunk("a", **used(5, 1)), begun, chunk("a", **used(5, 1))):
        transcript.apply(*frame, None)
    assert transcript.meter.total() == (TokenUsage("", 5, 1),)


async def ended(agent: LangGraphAgent, asked: RunRequest) -> RunEnded:
    *_, last = [event async for event in agent.run(asked)]
    assert isinstance(last, RunEnded)
    return last


@pytest.mark.parametrize("mode", list(RunMode))
async def test_both_modes_tell_the_same(server: FakeServer, agent: LangGraphAgent, mode: RunMode) -> None:
    said = ai("Hello", **used(12, 3, "m"))
    frames = [chunk("Hel"), chunk("lo"), chunk("", **used(12, 3, "m")), update(said)]
    older = ai("older", "a0", **used(99, 99, "m"))
    state: dict[str, Json] = {"values": {"messages": [human("before", "h0"), older, human(), said]}}
    server.scripts = [Script(frames, state=state)]
    end = await ended(agent, request(mode=mode))
    assert (end.text, end.usage) == ("Hello", (TokenUsage("m", 12, 3),))


@pytest.mark.parametrize("cuts", [[1], [2], [3, 1]])
async def test_a_broken_stream_counts_nothing_twice(
    server: FakeServer, agent: LangGraphAgent, cuts: list[int]
) -> None:
    said = ai("Hello", **used(12, 3, "m"))
    frames = [chunk("Hel", **used(12, 0, "m")), chunk("lo"), chunk("", **used(0, 3)), update(said)]
    server.scripts = [Script(frames, state={"values": {"messages": [human(), said]}})]
    server.cuts = cuts
    assert (await ended(agent, request())).usage == (TokenUsage("m", 12, 3),)


async def test_a_failed_run_tells_what_was_heard_of_it(server: FakeServer, agent: LangGraphAgent) -> None:
    error: Frame = ("error", {"error": "RuntimeError", "message": "no"})
    server.scripts = [Script([update(ai("", **used(4, 1, "m"))), error], status="error")]
    assert (await ended(agent, request())).usage == (TokenUsage("m", 4, 1),)


def test_what_a_tool_s_models_took_counts_once() -> None:
    spent: list[Json] = [
        ai("", "inner", **used(5, 7, "small")),
        {**ai("", "words", **used(1_000, 1_000)), "type": "human"},
        ai("", "", **used(1_000, 1_000)),
        {"type": "ai", "id": "lie", "usage_metadata": {"input_tokens": -1, "output_tokens": "x"}},
        "no message",
    ]
    told: Json = tool("done", additional_kwargs={"parley_spent": spent})
    frames: list[Frame] = [("updates", {"tools": {"messages": [told]}}), ("messages", [told, {}])]
    assert heard(*frames) == (TokenUsage("small", 5, 7),)


@pytest.mark.parametrize("rubbish", [{}, "x", 7, None, [None, [], {"type": "ai"}]])
def test_rubbish_in_a_tool_s_account_counts_nothing(rubbish: Json) -> None:
    told: Json = tool("done", additional_kwargs={"parley_spent": rubbish})
    assert heard(("messages", [told, {}])) == ()
