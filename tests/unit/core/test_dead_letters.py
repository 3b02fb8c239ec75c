"""Dead letters: seen with whose they are and why, tried again, dropped."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from parley.core.dead_letters import DeadLetter, DeadLetterKind, DeadLetters, DeadLetterStore
from parley.core.model.address import User
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import RunEvent, RunRequest
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options, echo
from tests.kit.store.contents import given_up

BLOCKED = "Forbidden: bot was blocked by the user"


def letters_of(parley: Core) -> DeadLetters:
    return DeadLetters(cast("DeadLetterStore", parley.journal))


async def refusing(parley: Core, *texts: str) -> DeadLetter:
    """The one letter that an answer becomes whose platform does not take it."""
    parley.channel.finish_errors.append(DeliveryRejected(BLOCKED))
    for text in texts:
        await parley.say(text)
    await parley.say("next", sender=User("test", "bob", "Bob"))
    await parley.channel.until_finals(1)
    (letter,) = await given_up(letters_of(parley))
    return letter


async def test_a_refused_answer_tells_whose_it_is_and_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with core(tmp_path) as parley:
        letter = await refusing(parley, "hi")
        assert (letter.kind, letter.conversation, letter.person) == (
            DeadLetterKind.ANSWER,
            "test:chat",
            "test:ann",
        )
        assert (letter.said, letter.answer) == ("hi", "you said hi")
        assert letter.reason == f"the platform refused the answer: {BLOCKED}"
    (line,) = [each.getMessage() for each in caplog.records if each.levelno == logging.ERROR]
    for part in ("test:chat", "test:ann", BLOCKED, f"parley letters show {letter.item}"):
        assert part in line


async def test_an_answer_to_a_command_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with core(tmp_path) as parley:
        letter = await refusing(parley, "/whoami")
        assert (letter.kind, letter.person, letter.said) == (DeadLetterKind.ANSWER, "test:ann", "/whoami")
    assert [each for each in caplog.messages if BLOCKED in each and "test:ann" in each]


async def test_an_answer_is_delivered_after_all_without_another_run(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        letter = await refusing(parley, "hi")
        assert await letters_of(parley).retry(letter.item)
        assert (await parley.channel.until_finals(2))[1] == "you said hi"
        assert [request.text for request in parley.agent.requests].count("hi") == 1
        assert not await letters_of(parley).retry(letter.item)


async def test_a_burst_is_one_letter_and_goes_as_one(tmp_path: Path) -> None:
    channel = replace(default_options().channels["test"], burst_window=0.3)
    async with core(tmp_path, options=default_options(channels={"test": channel})) as parley:
        letter = await refusing(parley, "one", "two")
        assert letter.said == "one\ntwo"
        assert len(letter.items) == 2
        assert await letters_of(parley).find(letter.items[1]) == letter
        assert await letters_of(parley).retry(letter.item)
        assert (await parley.channel.until_finals(2))[1] == "you said one\ntwo"
        assert not await given_up(letters_of(parley))


async def test_a_turn_that_broke_is_worked_anew(tmp_path: Path) -> None:
    good: list[bool] = []

    async def breaking(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if not good:
            raise ZeroDivisionError("a defect of ours")
        async for event in echo(agent, request):
            yield event

    async with core(tmp_path, agent=ScriptedAgent(breaking)) as parley:
        await parley.say("hi")
        (apology,) = await parley.channel.until_finals(1)
        assert "could not handle this message" in apology
        await parley.say("/whoami")
        await parley.channel.until_finals(2)
        (letter,) = await _until(parley, 1)
        assert (letter.kind, letter.person, letter.said) == (DeadLetterKind.TURN, "test:ann", "hi")
        good.append(True)
        assert await letters_of(parley).retry(letter.item)
        assert (await parley.channel.until_finals(3))[2] == "you said hi"
        assert not await given_up(letters_of(parley))


async def test_what_is_dropped_is_gone(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        letter = await refusing(parley, "hi")
        assert (await letters_of(parley).counts())["turns"] == 1
        assert await letters_of(parley).drop(letter.item)
        assert not await letters_of(parley).drop(letter.item)
        assert (await letters_of(parley).counts())["turns"] == 0


async def _until(parley: Core, count: int) -> list[DeadLetter]:
    """The letters, once there are so many."""
    while len(found := await given_up(letters_of(parley))) < count:
        await parley.journal.wait("none", 0.01)
    return list(found)
