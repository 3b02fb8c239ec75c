"""Which of several open questions a message answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.hitl.records import decode_question, question_document_key
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.questions import Option, Question
from tests.kit.doubles.core import Core, ScriptedAgent, core
from tests.kit.samples.questions import MAIL, asking, keys, with_buttons

BUDGET = Question("budget", "Budget?", (Option("low", "Low"), Option("high", "High")), may_respond=False)
CITY = Question("city", "Which city?")
FIRST, AFTER = "Please answer the questions below first", "Your next message is the answer."


async def asked(parley: Core, count: int) -> None:
    """Let the agent ask its questions, which come after its text."""
    await parley.say("ask")
    await parley.channel.until_finals(1 + count)


@pytest.mark.parametrize(
    ("questions", "words", "given"),
    [
        ((BUDGET, CITY), ("Paris", "high"), "budget=high; city=Paris"),
        ((CITY, BUDGET), ("high", "Paris"), "city=Paris; budget=high"),
        ((CITY, BUDGET), ("Paris", "1"), "city=Paris; budget=low"),
        ((BUDGET, CITY), ("2", "2"), "budget=high; city=2"),
        ((MAIL, CITY), ("Rome", "yes"), "i1=approve; city=Rome"),
        ((CITY, MAIL), ("yes", "Rome"), "city=Rome; i1=approve"),
    ],
)
async def test_words_answer_the_newest_question_that_takes_them(
    questions: Sequence[Question], words: Sequence[str], given: str, tmp_path: Path
) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(*questions))) as parley:
        await asked(parley, 2)
        for number, each in enumerate(words, start=4):
            await parley.say(each)
            await parley.channel.until_finals(number)
        assert parley.channel.finals[-1].text == f"given {given}"


async def test_words_that_are_no_option_are_asked_again(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(BUDGET))) as parley:
        await asked(parley, 1)
        await parley.say("Paris")
        again = (await parley.channel.until_finals(3))[2]
        assert again.startswith("Budget?")
        assert "1. Low" in again
        await parley.say("low")
        assert (await parley.channel.until_finals(4))[3] == "given budget=low"


APPROVAL = replace(MAIL, may_respond=False)


@pytest.mark.parametrize("words", ["what does it say?", "No idea", "to Bob instead", "yes but later"])
async def test_talk_while_an_approval_is_open_decides_nothing(words: str, tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(APPROVAL))) as parley:
        await asked(parley, 1)
        await parley.say(words)
        again = (await parley.channel.until_finals(3))[2]
        assert again.startswith("Please decide this first. Your message was not passed on")
        assert "1. " in again
        await parley.say("yes")
        assert (await parley.channel.until_finals(4))[3] == "given i1=approve"


@pytest.mark.parametrize("question", [APPROVAL, CITY])
async def test_a_file_is_no_answer_and_who_sends_it_is_told(question: Question, tmp_path: Path) -> None:
    file = Attachment(AttachmentKind.FILE, "a.txt", "text/plain", 3, "abc")
    async with core(tmp_path, agent=ScriptedAgent(asking(question))) as parley:
        await asked(parley, 1)
        await parley.say("", attachments=(file,))
        again = (await parley.channel.until_finals(3))[2]
        assert "Your file was not passed on" in again
        assert question.prompt in again


@pytest.mark.parametrize(
    "words", ["reject because it is late", "no, not today", "拒绝，因为太晚了", "不行，明天再发"]
)
async def test_words_that_begin_by_refusing_refuse_with_their_reason(words: str, tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(APPROVAL))) as parley:
        await asked(parley, 1)
        await parley.say(words)
        assert (await parley.channel.until_finals(3))[2] == f"given i1={words}"


@pytest.mark.parametrize("words", ["yes", "approve", "Refuse"])
async def test_an_older_questions_option_is_neither_its_answer_nor_the_newer_ones(
    words: str, tmp_path: Path
) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL, CITY))) as parley:
        await asked(parley, 2)
        await parley.say(words)
        unsure = (await parley.channel.until_finals(4))[3]
        assert unsure.startswith("This could be meant for an earlier question.")
        assert "Which city?" in unsure
        assert len(parley.agent.requests) == 1


async def test_a_reply_answers_the_question_that_it_replies_to(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(CITY, CITY)), channel=with_buttons()) as parley:
        await asked(parley, 2)
        record = None
        while record is None or not record.messages:
            (first, _) = keys(parley)
            record = decode_question(await parley.journal.get(question_document_key(first)))
        await parley.say("Rome", replies_to=record.messages[0])
        await parley.channel.until_finals(4)
        await parley.say("Oslo")
        assert (await parley.channel.until_finals(5))[4] == "given city=Rome; city=Oslo"


async def test_the_hint_stands_only_where_it_is_true(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(CITY, BUDGET, CITY))) as parley:
        await asked(parley, 3)
        texts = [final.text for final in parley.channel.finals[1:]]
        assert [text.split("\n")[0] for text in texts] == ["**1/3**", "**2/3**", "**3/3**"]
        assert [FIRST in text for text in texts] == [True, True, False]
        assert [AFTER in text for text in texts] == [False, False, True]
