"""The end of a turn keeps it among past conversations: once, whatever ends the process on the way."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from parley.core.model.address import User
from parley.core.model.queues import turn_queue_of
from parley.core.ports.journal import Claim, CounterIncrement, Document, Journal, NewQueueItem, QueueItem
from parley.core.ports.memory.past_turns import PastTurn
from parley.core.scheduler.manager import Manager
from parley.memory.service import MemoryService
from tests.kit.doubles.core import RecordingChannel, message
from tests.kit.machine import patience
from tests.kit.waiting import until
from tests.unit.core.turns.past_turns_child import child, remembering

ANN = "test:ann"
KILLS = 6


class EndsAtCommit:
    """A journal under a process that ends when a turn is committed, just before or just after that."""

    def __init__(self, journal: Journal, *, written: bool) -> None:
        self._journal = journal
        self._written = written
        self.reached = asyncio.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._journal, name)

    async def done(
        self,
        claim: Claim,
        items: Sequence[QueueItem],
        *,
        note: str | None = None,
        puts: Sequence[NewQueueItem] = (),
        documents: Sequence[Document] = (),
        tallies: Sequence[CounterIncrement] = (),
    ) -> None:
        work = partial(
            self._journal.done, claim, items, note=note, puts=puts, documents=documents, tallies=tallies
        )
        if documents:
            if self._written:
                await work()
            self.reached.set()
            await asyncio.Event().wait()
        await work()


async def kept(memory: MemoryService, person: str = ANN) -> list[PastTurn]:
    return [turn async for turn in memory.past_turns.list(person)]


async def has_kept(memory: MemoryService, number: int) -> bool:
    return len(await kept(memory)) == number


async def test_an_answered_turn_is_kept_with_its_words_and_its_place(tmp_path: Path) -> None:
    async with remembering(tmp_path) as (parley, memory):
        await parley.say("The boiler is from 1998")
        await until(lambda: has_kept(memory, 1), "the turn is kept")
        (turn,) = await kept(memory)
    assert (turn.said, turn.reply) == ("The boiler is from 1998", "you said The boiler is from 1998")
    assert (turn.person, turn.account, turn.conversation, turn.private) == (ANN, ANN, "test:chat", True)


async def test_a_command_is_not_kept(tmp_path: Path) -> None:
    async with remembering(tmp_path) as (parley, memory):
        await parley.say("/help")
        await parley.channel.until_finals(1)
        await parley.say("hello")
        await until(lambda: has_kept(memory, 1), "the turn is kept")
        assert [turn.said for turn in await kept(memory)] == ["hello"]


async def test_a_process_that_ends_before_delivery_loses_and_doubles_nothing(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.finish_gate = asyncio.Event()
    async with remembering(tmp_path, channel=channel) as (parley, memory):
        await parley.say("hi")
        await channel.until_finishing()
        assert await kept(memory) == []
    async with remembering(tmp_path) as (_, memory):
        await until(lambda: has_kept(memory, 1), "the turn is kept")
        assert [turn.said for turn in await kept(memory)] == ["hi"]


@pytest.mark.parametrize("written", [False, True])
async def test_a_process_that_ends_as_the_turn_is_committed_loses_and_doubles_nothing(
    tmp_path: Path, *, written: bool
) -> None:
    """The end of a turn is one transaction: whether it is there or not, so is what is kept of the turn."""
    async with remembering(tmp_path) as (parley, memory):
        await parley.crash()
        journal = EndsAtCommit(parley.journal, written=written)
        services = replace(parley.services, journal=journal, memory=memory, past_turns=memory.past_turns)  # type: ignore[arg-type]
        parley.task = asyncio.create_task(Manager(services).run())
        await parley.say("hi")
        await journal.reached.wait()
        assert await has_kept(memory, int(written))
    async with remembering(tmp_path) as (parley, memory):
        await parley.say("again")
        await until(lambda: has_kept(memory, 2), "both turns are kept")
        assert sorted(turn.said for turn in await kept(memory)) == ["again", "hi"]


async def test_past_conversations_are_recalled_in_private_and_by_their_own_person_only(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path) as (parley, memory):

        async def answer(text: str, **changes: object) -> str:
            before = len(parley.channel.finals)
            await parley.say(text, **changes)
            return (await parley.channel.until_finals(before + 1))[before]

        await parley.say("The boiler is from 1998")
        await until(lambda: has_kept(memory, 1), "the turn is kept")
        await parley.channel.until_finals(1)
        found = await answer("/memory recall boiler")
        assert "From our past conversations" in found
        assert "“The boiler is from 1998” → “you said The boiler is from 1998”" in found
        assert "found nothing about “zebra”" in await answer("/memory recall zebra")
        assert "1998" in await answer("/memory 回忆 boiler")
        assert "1998" not in await answer("/memory recall boiler", sender=User("test", "bob", "Bob"))
        assert "private chat" in await answer("/memory recall boiler", private=False)


def said_until_killed(folder: Path, first: int, turns: int) -> list[int]:
    """Say messages from `first` on, and kill the process when so many were accepted; the numbers of all."""
    numbers: list[int] = []
    with child(folder, first) as (told, process):
        while len(numbers) < turns:
            numbers.append(told.recv())
        process.kill()
        process.join()
        with suppress(EOFError):
            while True:
                numbers.append(told.recv())
    return numbers


def numbers_kept(folder: Path) -> Counter[int]:
    async def read() -> Counter[int]:
        async with remembering(folder) as (_, memory):
            texts = [turn.said for turn in await kept(memory)]
        # Messages that come while a turn runs may become one turn.
        return Counter(int(number) for text in texts for number in re.findall(r"\d+", text))

    return asyncio.run(read())


def test_every_accepted_message_is_in_one_past_turn_whenever_the_process_is_killed(tmp_path: Path) -> None:
    chance = random.Random(7)
    accepted: list[int] = []
    for _ in range(KILLS):
        # What was not yet told may be accepted already: it is said again, as a platform does.
        first = accepted[-1] if accepted else 0
        accepted += said_until_killed(tmp_path, first, chance.randint(3, 30))
    with child(tmp_path, -1) as (_, process):
        process.join(patience(60))
        assert process.exitcode == 0
    found = numbers_kept(tmp_path)
    assert {number for number, times in found.items() if times != 1} == set()
    assert set(accepted) <= set(found)


def test_the_queue_that_is_waited_for_is_that_of_turns() -> None:
    assert turn_queue_of(message().conversation) == "turns/test"
