"""A person's memory: given to their runs, learned from their turns, and in their own hands."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from parley.core.model.address import User
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.ports.memory.port import SIMPLE_RULES, FactView, UndoResult
from tests.kit.doubles.core import Core, ScriptedAgent, core


async def answer(parley: Core, text: str, **changes: object) -> str:
    """What Parley says to `text`."""
    before = len(parley.channel.finals)
    await parley.say(text, **changes)
    return (await parley.channel.until_finals(before + 1))[before]


async def test_a_run_is_told_what_was_said_before_and_where(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for text in ("one", "two"):
            await answer(parley, text)
        first, second = parley.memory.occasions
        assert (first.messages, second.messages) == (("one",), ("one", "two"))
        assert (second.person, second.private, second.assistant) == ("test:ann", True, "agent")
        assert second.thread == parley.agent.requests[1].thread


async def test_only_a_thread_with_an_older_block_is_asked_for_it(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for text in ("one", "two", "/new", "three"):
            await answer(parley, text)
        assert [request.reminded for request in parley.agent.requests] == [False, True, False]


@pytest.mark.parametrize("placed", [True, False])
async def test_a_thread_is_asked_only_where_the_run_said_that_it_has_a_message(
    tmp_path: Path, *, placed: bool
) -> None:
    async def tells(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"), reminded=placed)
        yield RunEnded(Outcome.ANSWERED, "yes")

    async with core(tmp_path, agent=ScriptedAgent(tells)) as parley:
        for text in ("one", "two", "three"):
            await answer(parley, text)
        assert [request.reminded for request in parley.agent.requests] == [False, placed, placed]


async def test_what_several_people_wrote_together_is_nobodys(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        for name in ("ann", "bob") * 60:
            await parley.say("hi", sender=User("test", name, name))
    async with core(tmp_path) as parley:
        await parley.channel.until_finals(1)
        assert not parley.memory.turns


@pytest.mark.parametrize("ahead", [-30.0, -0.9, 0.0, 3600.0])
async def test_words_are_as_old_as_their_acceptance_whatever_the_platforms_clock_says(
    tmp_path: Path, ahead: float
) -> None:
    """Telegram tells whole seconds: what is said right after a clear would else be older than the clear."""
    async with core(tmp_path) as parley:
        before = time.time()
        await answer(parley, "I own a boat", sent_at=before + ahead)
        (turn,) = await parley.memory.until_turns(1)
        assert before <= turn.at <= time.time()


async def test_what_came_late_or_is_answered_again_was_said_when_the_platform_says(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        now = time.time()
        await answer(parley, "I own a boat", sent_at=now - 600)
        await answer(parley, "And a canoe", sent_at=now - 5)
        await answer(parley, "/retry")
        turns = await parley.memory.until_turns(3)
        assert [turn.user_text for turn in turns] == ["I own a boat", "And a canoe", "And a canoe"]
        assert [turns[0].at, turns[2].at] == [now - 600, now - 5]


async def test_several_messages_of_one_turn_are_as_old_as_the_first(tmp_path: Path) -> None:
    async with core(tmp_path, working=False) as parley:
        await parley.say("number 0")
        between = time.time()
        for number in range(1, 120):
            await parley.say(f"number {number}")
    async with core(tmp_path) as parley:
        turn = (await parley.memory.until_turns(1))[0]
        assert "number 0\nnumber 1\n" in turn.user_text
        assert turn.at < between


async def test_memory_says_who_learns_and_how_rules_get_a_model(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        parley.memory.learner = "openai:tiny"
        assert "Learns with: openai:tiny" in await answer(parley, "/memory")
        parley.memory.learner = SIMPLE_RULES
        assert "Only simple rules learn here" in (shown := await answer(parley, "/memory"))
        assert "memory.model_name" in shown


async def test_memory_is_shown_searched_added_and_forgotten(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        assert "Nothing yet" in await answer(parley, "/memory")
        assert "likes tea" in await answer(parley, "/memory add likes tea")
        shown = await answer(parley, "/memory show")
        assert "**Work**: Builds bridges." in shown
        assert "`fact_0` likes tea (context, 1.00)" in shown
        assert "Messages still to be learned from: 1" in shown
        assert "likes tea" in await answer(parley, "/memory search tea")
        assert "nothing about “coffee”" in await answer(parley, "/memory search coffee")
        forgotten = await answer(parley, "/memory forget likes tea")
        assert "Forgotten: 1" in forgotten
        assert "for good" not in forgotten
        assert "`/new`" in forgotten
        assert "Nothing yet" in await answer(parley, "/memory")


async def test_several_facts_are_shown_before_they_are_forgotten(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for _ in range(2):
            await answer(parley, "/memory add likes coffee")
        shown = await answer(parley, "/memory forget likes coffee")
        assert "nothing is forgotten yet" in shown
        assert "`fact_0` likes coffee" in shown
        assert "`/memory forget yes likes coffee`" in shown
        assert len(parley.memory.held["test:ann"]) == 2
        assert "Forgotten: 1" in await answer(parley, "/memory forget fact_1")
        await answer(parley, "/memory add likes coffee")
        assert "Forgotten: 2" in await answer(parley, "/memory forget yes likes coffee")
        assert parley.memory.held["test:ann"] == []


@pytest.mark.parametrize(
    ("undone", "said"),
    [
        (UndoResult.DONE, "The last change is undone."),
        (UndoResult.NOTHING, "nothing to undo"),
        (UndoResult.FORGOTTEN, "Nothing was changed"),
    ],
)
async def test_undo_says_what_happened(tmp_path: Path, undone: UndoResult, said: str) -> None:
    async with core(tmp_path) as parley:
        parley.memory.undone = undone
        assert said in await answer(parley, "/memory undo")


async def test_a_long_memory_is_shown_in_part(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        parley.memory.held["test:ann"] = [
            FactView(f"fact_{n}", f"fact number {n}", "context", 0.9, "", "t") for n in range(25)
        ]
        shown = await answer(parley, "/memory")
        assert "fact number 19" in shown
        assert "fact number 20" not in shown
        assert "… and 5 more" in shown


async def test_clearing_asks_first(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, "/memory add likes tea")
        assert "`/memory clear yes`" in await answer(parley, "/memory clear")
        assert parley.memory.held["test:ann"]
        cleared = await answer(parley, "/memory clear yes")
        assert "all facts (1)" in cleared
        assert "`/new`" in cleared


async def test_memory_goes_off_and_on(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, "/memory off")
        assert "off for you" in await answer(parley, "/memory")
        await answer(parley, "/memory on")
        assert "What I remember about you" in await answer(parley, "/memory")


async def test_a_memory_comes_as_a_file(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await answer(parley, "/memory add likes tea")
        await answer(parley, "/memory export")
        (file,) = parley.channel.finals[-1].attachments
        assert file.name == "memory.json"
        exported = Path(file.path)
    assert json.loads(await asyncio.to_thread(exported.read_text)) == ["likes tea"]


@pytest.mark.parametrize("command", ["/memory", "/memory show", "/link", "/unlink"])
async def test_nobody_else_sees_a_memory(tmp_path: Path, command: str) -> None:
    async with core(tmp_path) as parley:
        assert "private chat" in await answer(parley, command, private=False, addressed=True)


async def test_commands_are_understood_in_chinese(tmp_path: Path) -> None:
    ann = User("test", "ann", "安", language="zh-CN")
    async with core(tmp_path) as parley:
        assert "喝茶" in await answer(parley, "/memory 记住 喜欢喝茶", sender=ann)
        assert "已忘记 1 条" in await answer(parley, "/memory 忘记 喜欢喝茶", sender=ann)


async def test_an_unknown_word_tells_what_there_is(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for words in ("dance", "search", "add", "forget"):
            assert "search WORDS" in await answer(parley, f"/memory {words}")


async def test_a_broken_memory_says_so_and_the_chat_goes_on(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        parley.memory.broken = "The file is damaged."
        assert await answer(parley, "/memory") == "`/memory` did not work: The file is damaged."
        assert await answer(parley, "hi") == "you said hi"
