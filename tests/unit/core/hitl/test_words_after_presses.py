"""Presses and words decide in the order in which they were stored, however late they are worked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from parley.core.hitl import text_replies
from parley.core.hitl.records import QUESTION_PREFIX, questions_of_turn, waiting_decisions
from parley.core.model.queues import QUESTIONS
from parley.core.ports.journal import Claim, Document, NewQueueItem, QueueItem
from parley.core.texts import Sentence, say
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import Core, ScriptedAgent, core_on, default_options
from tests.kit.machine import patience
from tests.kit.samples.questions import MAIL, asking, click, entries, keys, with_buttons

TAKEN = say("en", Sentence.QUESTION_TAKEN)


@dataclass
class Doors:
    """What lets the work of decisions, the decisions of words, and their places in the lane, pass; `looked`
    is set by each look at which decisions wait, `decides` and `asks` by words that are about to.
    """

    work: asyncio.Event = field(default_factory=asyncio.Event)
    words: asyncio.Event = field(default_factory=asyncio.Event)
    looked: asyncio.Event = field(default_factory=asyncio.Event)
    decides: asyncio.Event = field(default_factory=asyncio.Event)
    asks: asyncio.Event = field(default_factory=asyncio.Event)
    places: asyncio.Event = field(default_factory=asyncio.Event)

    async def before_words(self, items: Sequence[NewQueueItem]) -> None:
        if any(":words:" in item.dedupe for item in items):
            self.asks.set()
            await self.places.wait()

    def store(self) -> type[SqliteStore]:
        async def claim(store: SqliteStore, queue: str, limit: int) -> tuple[Claim, ...]:
            if queue.startswith(QUESTIONS):
                await self.work.wait()
            return await SqliteStore.claim(store, queue, limit)

        async def waiting(store: SqliteStore, queue: str, lane: str) -> tuple[QueueItem, ...]:
            found = await SqliteStore.waiting(store, queue, lane)
            if queue.startswith(QUESTIONS):
                self.looked.set()
            return found

        async def put_document(store: SqliteStore, document: Document) -> Document:
            if document.key.startswith(QUESTION_PREFIX):
                self.decides.set()
                await self.words.wait()
            return await SqliteStore.set(store, document)

        async def put(store: SqliteStore, *items: NewQueueItem) -> tuple[int | None, ...]:
            await self.before_words(items)
            return await SqliteStore.put(store, *items)

        methods = {"put": put, "claim": claim, "waiting": waiting, "set": put_document}
        return type("Guarded", (SqliteStore,), {"__slots__": ()} | methods)


@asynccontextmanager
async def asked(doors: Doors, folder: Path) -> AsyncIterator[tuple[Core, str]]:
    """A core whose agent has asked, and the question's key; decisions are not worked any more."""
    doors.work.set()
    doors.places.set()
    agent = ScriptedAgent(asking(MAIL))
    async with (
        doors.store().open(folder / "parley.db") as store,
        core_on(store, folder, agent, with_buttons(), default_options()) as parley,
    ):
        await parley.say("ask")
        await parley.channel.until(lambda: bool(keys(parley)))
        doors.work.clear()
        yield parley, keys(parley)[0]


async def look(doors: Doors) -> None:
    """Return after the next look at which decisions wait."""
    doors.looked.clear()
    async with asyncio.timeout(patience(20)):
        await doors.looked.wait()


async def test_words_decide_nothing_while_a_press_waits_that_was_taken(tmp_path: Path) -> None:
    doors = Doors()
    doors.words.set()
    async with asked(doors, tmp_path) as (parley, key):
        assert await parley.clicks.submit(click(key, "approve")) == TAKEN
        await parley.say("no, not today")
        for _ in range(2):
            await look(doors)
        assert len(parley.channel.finals) == 2
        doors.work.set()
        await parley.channel.until_finals(4)
        assert parley.channel.texts[2:] == ["given i1=approve", "you said no, not today"]
        assert [line[2] for line in await entries(parley) if line[0] == "decided"] == ["approve"]


async def test_who_presses_after_words_is_told_what_they_decide(tmp_path: Path) -> None:
    doors = Doors()
    async with asked(doors, tmp_path) as (parley, key):
        await parley.say("no, not today")
        async with asyncio.timeout(patience(20)):
            await doors.decides.wait()
        assert "Ann: “no, not today”" in await parley.clicks.submit(click(key, "approve"))
        doors.words.set()
        doors.work.set()
        assert (await parley.channel.until_finals(3))[2] == "given i1=no, not today"


async def test_words_are_decided_by_whoever_works_them_first(tmp_path: Path) -> None:
    doors = Doors()
    async with asked(doors, tmp_path) as (parley, _):
        await parley.say("no, not today")
        async with asyncio.timeout(patience(20)):
            await doors.decides.wait()
        doors.work.set()
        await parley.channel.until(lambda: bool(parley.channel.settled))
        doors.words.set()
        assert (await parley.channel.until_finals(3))[2] == "given i1=no, not today"
        await parley.say("thanks")
        assert (await parley.channel.until_finals(4))[3] == "you said thanks"
        assert [kind for kind, *_ in await entries(parley)].count("decided") == 1
        assert len(parley.agent.requests) == 3, "the run went on once"


async def test_words_are_not_kept_waiting_for_a_press_that_nobody_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_replies, "_LONGEST_WAIT", 0.0)
    doors = Doors()
    doors.words.set()
    async with asked(doors, tmp_path) as (parley, key):
        assert await parley.clicks.submit(click(key, "approve")) == TAKEN
        await parley.say("no, not today")
        assert (await parley.channel.until_finals(3))[2] == say("en", Sentence.QUESTION_BEING_DECIDED)
        doors.work.set()
        assert (await parley.channel.until_finals(4))[3] == "given i1=approve"


async def test_words_that_waited_in_vain_leave_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_replies, "_LONGEST_WAIT", 0.0)
    doors = Doors()
    doors.words.set()
    async with asked(doors, tmp_path) as (parley, key):
        doors.places.clear()
        await parley.say("no, not today")
        async with asyncio.timeout(patience(20)):
            await doors.asks.wait()
        assert await parley.clicks.submit(click(key, "approve")) == TAKEN
        doors.places.set()
        assert (await parley.channel.until_finals(3))[2] == say("en", Sentence.QUESTION_BEING_DECIDED)
        (record, _), *_ = await questions_of_turn(parley.journal, key.rpartition("-")[0])
        left = await waiting_decisions(parley.journal, record)
        assert [event.click.id for event in left if event.click] == [click(key, "approve").id]


async def test_words_that_bear_the_id_of_a_press_are_behind_it(tmp_path: Path) -> None:
    doors = Doors()
    doors.words.set()
    async with asked(doors, tmp_path) as (parley, key):
        press = click(key, "approve")
        assert await parley.clicks.submit(press) == TAKEN
        await parley.say("no, not today", id=press.id)
        await look(doors)
        doors.work.set()
        await parley.channel.until_finals(3)
        assert parley.channel.texts[2] == "given i1=approve"
