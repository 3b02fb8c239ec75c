"""A deleted conversation: its words go from the store and the agent's threads, whatever is in the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

from parley.core.model.address import Conversation, User
from parley.core.model.codec import encode
from parley.core.model.feedback import FEEDBACK_QUESTION, AnswerWithButtons
from parley.core.model.questions import Click
from parley.core.model.queues import feedback_delivery_queue
from parley.core.ports.journal import NewQueueItem
from parley.core.ports.store_admin import StoreAdmin
from parley.core.privacy.conversation_deletion import ConversationDeletion, schedule_deletion
from parley.core.state.feedback import note_answer
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options
from tests.kit.machine import patience
from tests.kit.samples.person_history import AWAY, ThreadShelf
from tests.kit.samples.questions import MAIL, asking
from tests.kit.stored_text import sqlite_rows

HOME, ELSEWHERE = Conversation("test", "home"), Conversation("test", "elsewhere")


def found(folder: Path, word: str = "zebra") -> list[str]:
    """The rows of the store that have the word."""
    return [row for row in sqlite_rows(folder / "parley.db") if word in row]


@asynccontextmanager
async def clearing(parley: Core, threads: ThreadShelf) -> AsyncIterator[None]:
    archive = cast("StoreAdmin", parley.journal)
    work = ConversationDeletion(archive, threads, parley.services.conversations, parley.services.files)
    task = asyncio.create_task(work.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(patience(30)):
        while not condition():  # noqa: ASYNC110 - a database tells nobody
            await asyncio.sleep(0.01)


async def talked(parley: Core) -> str:
    """Say things at home and elsewhere; returns home's thread."""
    await parley.say("a zebra", conversation=HOME)
    await parley.channel.until_finals(1)
    await parley.say("a zebra elsewhere", conversation=ELSEWHERE)
    await parley.channel.until_finals(2)
    (turn, *_) = await parley.memory.until_turns(2)
    body = NewQueueItem("memory", "test:ann", encode(turn))
    await parley.journal.put(body)
    return parley.agent.requests[0].thread


async def test_the_words_of_a_deleted_conversation_go_and_those_of_others_stay(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        thread = await talked(parley)
        threads = ThreadShelf({thread: "zebra", "another": "kept"})
        async with clearing(parley, threads):
            await schedule_deletion(parley.journal, HOME)
            await until(lambda: not [row for row in found(tmp_path) if "elsewhere" not in row])
        assert threads.threads == {"another": "kept"}
        assert found(tmp_path, "a zebra elsewhere")


async def test_what_was_thought_of_its_answers_goes_too_and_nobody_is_told(tmp_path: Path) -> None:
    """Also what waits for a service, and what a service has refused."""
    async with core(tmp_path, options=default_options(feedback_destinations=("webhook",))) as parley:
        for turn, place in (("t1", HOME), ("t2", ELSEWHERE)):
            await note_answer(
                parley.journal, turn, AnswerWithButtons("run", "thread", place.key, "test:ann", 1.0)
            )
            said = f"a zebra {place.chat}"
            press = Click(
                turn, f"{FEEDBACK_QUESTION}{turn}", "down", User("test", "ann"), place, True, text=said
            )
            await parley.clicks.submit(press)
        await until(lambda: len(found(tmp_path, "feedback-to/webhook', 'test:ann/")) == 4)
        for claim in await parley.journal.claim(feedback_delivery_queue("webhook"), 2):
            if claim.lane.endswith("t1"):
                await parley.journal.bury(claim, claim.items, "refused")
        async with clearing(parley, ThreadShelf({})):
            await schedule_deletion(parley.journal, HOME)
            await until(lambda: not found(tmp_path, "a zebra home"))
        assert found(tmp_path, "a zebra elsewhere")
        assert not await parley.journal.dead()


async def test_an_agent_server_that_is_away_is_waited_for(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        thread = await talked(parley)
        threads = ThreadShelf({thread: "zebra"}, error=AWAY)
        async with clearing(parley, threads):
            await schedule_deletion(parley.journal, HOME)
            await until(lambda: [row for row in found(tmp_path, "clearing") if ", 1, " in row])
            assert found(tmp_path)
            threads.error = None
            await until(lambda: not [row for row in found(tmp_path) if "elsewhere" not in row])
        assert threads.threads == {}


async def test_questions_and_their_decisions_go_too(tmp_path: Path) -> None:
    async with core(tmp_path, agent=ScriptedAgent(asking(MAIL))) as parley:
        await parley.say("send a zebra", conversation=HOME)
        await parley.channel.until_finals(1)
        async with clearing(parley, ThreadShelf({})):
            await schedule_deletion(parley.journal, HOME)
            await until(lambda: not found(tmp_path) and not found(tmp_path, "question/"))
