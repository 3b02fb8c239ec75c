"""A person is told about each file that the agent does not read as it is."""

import asyncio

import pytest

from parley.core.model.attachments import UnreadFile, UnreadReason, UnsentFile, UnsentReason
from parley.core.model.errors import FailureCause
from parley.core.model.types import Outcome, RunEnded, RunProgress, RunRef, RunStarted
from parley.core.turns.final_text import render_final_text
from tests.kit.doubles.core import ScriptedAgent, core


async def without_a_file(agent, request):
    yield RunStarted(RunRef(request.thread, "run-1"), (UnreadFile("a.pdf", UnreadReason.LOCKED),))
    yield RunEnded(Outcome.ANSWERED, "An answer.")


async def without_a_file_and_stuck(agent, request):
    yield RunStarted(RunRef(request.thread, "run-1"), (UnreadFile("a.pdf", UnreadReason.LOCKED),))
    yield RunProgress("half", ())
    await asyncio.Event().wait()


async def only_joined(agent, request):
    yield RunStarted(RunRef(request.thread, "run-1"))
    yield RunEnded(Outcome.ANSWERED, "An answer.")


TOLD = "An answer.\n\n⚠ a.pdf was left out: it is protected by a password."


async def test_the_note_follows_the_answer(tmp_path):
    async with core(tmp_path, agent=ScriptedAgent(without_a_file)) as parley:
        await parley.say("look")
        assert await parley.channel.until_finals(1) == [TOLD]


async def test_the_note_survives_a_crash(tmp_path):
    async with core(tmp_path, agent=ScriptedAgent(without_a_file_and_stuck)) as parley:
        await parley.say("look")
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
    async with core(tmp_path, agent=ScriptedAgent(only_joined)) as parley:
        assert await parley.channel.until_finals(1) == [TOLD]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("trouble", UnreadReason)
def test_every_trouble_has_its_words(language, trouble):
    ended = RunEnded(Outcome.ANSWERED, "ok")
    text = render_final_text(language, ended, None, (), [UnreadFile("a.pdf", trouble)], reference="")
    assert text.startswith("ok\n\n⚠ ")
    assert "a.pdf" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_cause_of_a_failure_has_a_sentence_of_its_own(language):
    told = set()
    for cause in FailureCause:
        ended = RunEnded(Outcome.FAILED, "Half.", error="secret", cause=cause)
        text = render_final_text(language, ended, None, (), reference="abcd1234")
        assert text.startswith("Half.\n\n")
        assert "`abcd1234`" in text
        assert "secret" not in text
        told.add(text)
    assert len(told) == len(FailureCause)


def test_a_conversation_that_is_too_long_is_told_of_new():
    ended = RunEnded(Outcome.FAILED, cause=FailureCause.LENGTH)
    assert "`/new`" in render_final_text("en", ended, None, (), reference="r")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("reason", list(UnsentReason))
def test_a_file_of_the_agent_that_does_not_come_is_named(language, reason):
    ended = RunEnded(Outcome.EMPTY, unsent=(UnsentFile("plan.pdf", reason),))
    text = render_final_text(language, ended, None, (), reference="x")
    assert text.startswith(("⚠ plan.pdf was left out: ", "⚠ 未处理文件 plan.pdf："))
    assert len(text.splitlines()) == 1, "and nothing else is said"
