"""Presses of what an answer suggests: who may, once each, in the conversation of the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.feedback import AnswerWithButtons
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import (
    Click,
    Option,
    Question,
    QuestionKind,
    pressed_suggestion,
    suggestion_question,
)
from parley.core.model.types import (
    Outcome,
    RunEnded,
    RunEvent,
    RunRef,
    RunRequest,
    RunStarted,
    SessionSettings,
)
from parley.core.state.feedback import ANSWER_PREFIX, load_answer
from parley.core.texts import Sentence, say
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options
from tests.kit.waiting import until

ANN, BOB, EVE = (User("test", who, who.title()) for who in ("ann", "bob", "eve"))
TOPIC, OTHER = Conversation("test", "team", "7"), Conversation("test", "other")
NEXT = ("And tomorrow?", "Why?", "approve")
DEPLOY = Question(
    "deploy",
    "",
    (Option("approve", "Approve"), Option("reject", "Reject")),
    kind=QuestionKind.APPROVAL,
    action="x",
)
ASKED, KNOWN, STALE, REFUSED = (
    say("en", each)
    for each in (
        Sentence.SUGGESTION_ASKED,
        Sentence.SUGGESTION_KNOWN,
        Sentence.SUGGESTION_STALE,
        Sentence.HOME_REFUSED,
    )
)


async def suggesting(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    """Suggest what may be asked next, below every answer; "stop" is cut off."""
    yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
    if request.text == "ask":
        yield RunEnded(Outcome.ASKED, "I have a plan.", questions=(DEPLOY,))
        return
    outcome = Outcome.CANCELLED if request.text == "stop" else Outcome.ANSWERED
    yield RunEnded(outcome, f"you said {request.text}", suggestions=NEXT)


@asynccontextmanager
async def answered(
    folder: Path, text: str = "hello", *, feedback: bool = False, private: bool = False
) -> AsyncIterator[tuple[Core, str]]:
    """A core that has answered Ann once in a topic, and the turn of its answer."""
    channel = ChannelOptions(
        SessionSettings("agent"), allowed_users=frozenset({"ann", "bob"}), burst_window=0.0, feedback=feedback
    )
    async with core(
        folder, agent=ScriptedAgent(suggesting), options=default_options(channels={"test": channel})
    ) as parley:
        await parley.say(text, conversation=TOPIC, private=private, addressed=True)
        await parley.channel.until_finals(1)
        await until(lambda: parley.nothing_waits("turns/test"), "the turn is over")
        yield parley, parley.channel.finals[0].turn_id


def press(turn: str, option: str = "0", who: User = ANN, number: int = 0, **changes: object) -> Click:
    click = Click(
        f"p{number}:{who.id}", f"suggestion:{turn}", option, who, Conversation("test", "team"), False
    )
    return replace(click, **changes)  # type: ignore[arg-type]


async def test_a_press_asks_in_the_conversation_of_the_answer(tmp_path: Path) -> None:
    async with answered(tmp_path) as (parley, turn):
        asked, *_ = parley.channel.finals
        assert asked.suggestions == NEXT
        assert await parley.clicks.submit(press(turn, "1", BOB)) == ASKED
        await parley.channel.until_finals(2)
        first, second = parley.agent.requests
        assert (second.text, second.person, second.thread) == ("Why?", BOB, first.thread)
        answer = parley.channel.finals[1]
        assert answer.text == "> Bob: Why?\n\nyou said Why?"
        assert (answer.conversation, answer.reply_to) == (TOPIC, asked.reply_to)


async def test_each_person_asks_once_however_often_they_press(tmp_path: Path) -> None:
    async with answered(tmp_path) as (parley, turn):
        told = [await parley.clicks.submit(press(turn, "0", who, n)) for n, who in enumerate((ANN, ANN, BOB))]
        assert told == [ASKED, KNOWN, ASKED]
        await parley.channel.until_finals(3)
        assert await parley.clicks.submit(press(turn, "0", BOB, 9)) == KNOWN
        assert [each.text for each in parley.agent.requests] == ["hello", "And tomorrow?", "And tomorrow?"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"who": EVE}, REFUSED),
        ({"option": "3"}, REFUSED),
        ({"option": "-1"}, REFUSED),
        ({"option": "٠"}, REFUSED),
        ({"option": ""}, REFUSED),
        ({"turn": ""}, REFUSED),
        ({"turn": "x" * 201}, REFUSED),
        ({"turn": "another"}, STALE),
        ({"conversation": OTHER}, STALE),
    ],
)
async def test_what_is_not_suggested_there_is_not_asked(
    tmp_path: Path, changes: dict[str, str], told: str
) -> None:
    async with answered(tmp_path) as (parley, turn):
        assert await parley.clicks.submit(press(**{"turn": turn, **changes})) == told  # type: ignore[arg-type]
        assert await parley.nothing_waits("turns/test")
        assert len(parley.agent.requests) == 1


async def test_a_private_answer_shows_what_was_pressed_without_a_name(tmp_path: Path) -> None:
    async with answered(tmp_path, private=True) as (parley, turn):
        await parley.clicks.submit(press(turn, "1", private=True))
        await parley.channel.until_finals(2)
        assert parley.channel.finals[1].text == "> Why?\n\nyou said Why?"


async def test_an_answer_that_was_stopped_suggests_nothing(tmp_path: Path) -> None:
    async with answered(tmp_path, "stop") as (parley, turn):
        assert parley.channel.finals[0].suggestions == ()
        assert await parley.journal.list(ANSWER_PREFIX, 10) == ()
        assert await parley.clicks.submit(press(turn)) == STALE


@pytest.mark.parametrize("feedback", [False, True])
async def test_suggestions_need_no_thumbs_and_bring_none(tmp_path: Path, feedback: bool) -> None:
    async with answered(tmp_path, feedback=feedback) as (parley, turn):
        assert parley.channel.finals[0].rateable is feedback
        thumb = Click("t", f"feedback:{turn}", "up", ANN, TOPIC, private=False)
        told = Sentence.FEEDBACK_NOTED if feedback else Sentence.FEEDBACK_STALE
        assert await parley.clicks.submit(thumb) == say("en", told)
        answer, _ = await load_answer(parley.journal, turn)
        assert isinstance(answer, AnswerWithButtons)
        assert (answer.rateable, answer.suggestions) == (feedback, NEXT)


def test_a_question_of_suggestions_is_read_from_its_presses() -> None:
    question = suggestion_question("t", ("a", "b", "c", "d"))
    assert [(each.id, each.label) for each in question.options] == [("0", "a"), ("1", "b"), ("2", "c")]
    pressed = [pressed_suggestion(press("t", each.id)) for each in question.options]
    assert pressed == [("t", 0), ("t", 1), ("t", 2)]


async def test_a_press_decides_no_question_that_came_later(tmp_path: Path) -> None:
    async with answered(tmp_path) as (parley, turn):
        await parley.say("ask", conversation=TOPIC, private=False, addressed=True)
        await parley.channel.until_finals(3)
        assert await parley.clicks.submit(press(turn, "2")) == ASKED
        await parley.channel.until_finals(4)
        assert parley.channel.finals[-1].text.startswith(
            f"> Ann: approve\n\n{say('en', Sentence.QUESTION_FIRST)}"
        )
        assert [each.text for each in parley.agent.requests] == ["hello", "ask"]
