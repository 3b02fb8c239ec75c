"""Past conversations: kept for their person only, found by words, and gone when they should be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.errors import DocumentConflict
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import Document
from parley.core.ports.memory.past_turns import PastTurnQuery
from parley.core.ports.memory.port import AccountUnlink
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import Groups, MemoryOptions
from parley.memory.past_turns.storage import INDEX, PREFIX, PastTurnStorage
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.llm_provider import NOON, turn

DAY = 86_400.0
LISBON = "We fly to Lisbon in May, I hate the middle seat"


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON + 100

    def __call__(self) -> float:
        return self.now


class Kept:
    """A memory service over a store, and what puts turns there as the end of a turn does."""

    def __init__(self, journal: SqliteStore, service: MemoryService, clock: Clock) -> None:
        self.journal, self.service, self.clock = journal, service, clock
        self.past = service.past_turns

    async def end(self, *turns: CompletedTurn) -> int:
        """Write the turns; return how many were kept."""
        kept = 0
        for one in turns:
            for document in await self.past.documents_of(one):
                await self.journal.set(document)
                kept += document.key.startswith(PREFIX)
        return kept

    async def find(self, words: str, person: str = "ann", **how: object) -> list[str]:
        """What was said in the turns that are found."""
        return [one.said for one in await self.past.search(PastTurnQuery(person, words, **how))]  # type: ignore[arg-type]

    async def keys(self, prefix: str = PREFIX) -> Sequence[str]:
        return [document.key for document in await self.journal.list(prefix)]


@asynccontextmanager
async def kept(path: Path, options: MemoryOptions | None = None) -> AsyncIterator[Kept]:
    clock = Clock()
    async with SqliteStore.open(path / "db") as journal:
        store = FileMemoryStore(path / "memory")
        service = MemoryService(store, journal, RuleExtractor(), options or MemoryOptions(), clock)
        yield Kept(journal, service, clock)


def at(place: str, made: CompletedTurn) -> CompletedTurn:
    return replace(made, conversation=Conversation.parse(place), private=False)


async def test_a_turn_is_found_by_what_was_said_and_by_what_was_answered(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(
            turn(1, LISBON), turn(2, "Which wine goes with fish?", reply="A dry Riesling."), turn(3, "Hello")
        )
        assert await memory.find("the Lisbon flight") == [LISBON]
        assert await memory.find("riesling") == ["Which wine goes with fish?"]
        assert await memory.find("zebra") == []
        assert await memory.find("", limit=2) == ["Hello", "Which wine goes with fish?"]


async def test_chinese_words_find_a_chinese_turn(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(turn(1, "我们五月飞里斯本，订靠窗的座位"), turn(2, "今天晚饭吃什么？"))
        assert await memory.find("里斯本的座位") == ["我们五月飞里斯本，订靠窗的座位"]


async def test_nobody_finds_the_turns_of_somebody_else(tmp_path: Path) -> None:
    hostile = ("ann", "an", "ann/", "ann/x", "ann%2F", "%", "", "2023-05-08/ann")
    async with kept(tmp_path) as memory:
        for number, person in enumerate(hostile):
            await memory.end(turn(number, f"My secret trip number {number}", person=person))
        for number, person in enumerate(hostile):
            assert await memory.find("secret trip", person) == [f"My secret trip number {number}"]


async def test_only_turns_of_the_chat_are_found_where_others_listen(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(
            turn(1, "Private: the merger is in May"),
            at("slack:C1:17", turn(2, "The merger needs a name")),
            at("slack:C2", turn(3, "The merger has a lawyer")),
            at("slack:C1", turn(4, "Bob's merger", person="bob")),
        )
        assert await memory.find("merger", chat="slack:C1") == ["The merger needs a name"]
        assert len(await memory.find("merger")) == 3


async def test_days_and_the_assistant_narrow_a_search(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(turn(1, "Tea on Monday", at=NOON - 3 * DAY), turn(2, "Tea today", assistant="other"))
        found = await memory.past.search(PastTurnQuery("ann", "tea"))
        days = sorted(each.at for each in found)
        assert days == [NOON - 3 * DAY, NOON + 2]
        assert await memory.find("tea", assistant="other") == ["Tea today"]
        assert await memory.find("tea", since="2999-01-01") == []
        assert len(await memory.find("tea", since="1970-01-01", until="2999-01-01")) == 2


async def test_the_same_turn_twice_is_kept_once(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        assert [await memory.end(turn(1, LISBON)) for _ in range(2)] == [1, 0]
        assert len(await memory.keys()) == 1


async def test_secrets_are_masked_and_long_words_cut(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(turn(1, "My card is 4111 1111 1111 1111", reply="x" * 100_000))
        (found,) = await memory.past.search(PastTurnQuery("ann", "card"))
        assert "4111" not in found.said
        assert len(found.reply) < 5_000


@pytest.mark.parametrize(
    "options",
    [
        MemoryOptions(past_conversations_days=0),
        MemoryOptions(enabled=False),
        MemoryOptions(groups=Groups.OFF),
    ],
)
async def test_nothing_is_kept_where_it_is_switched_off(tmp_path: Path, options: MemoryOptions) -> None:
    async with kept(tmp_path, options) as memory:
        assert await memory.end(at("slack:C1", turn(1, LISBON))) == 0
        assert await memory.keys() == []


async def test_a_person_who_switched_memory_off_is_not_kept_and_not_found(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(turn(1, LISBON))
        await memory.service.switch("ann", on=False)
        assert await memory.end(turn(2, "And Porto")) == 0
        assert await memory.find("Lisbon") == []
        await memory.service.switch("ann", on=True)
        assert await memory.find("Lisbon") == [LISBON]


async def test_turns_go_after_their_time_and_all_at_once_when_switched_off(tmp_path: Path) -> None:
    async with kept(tmp_path, MemoryOptions(past_conversations_days=2)) as memory:
        await memory.end(turn(1, LISBON))
        memory.clock.now += 3 * DAY
        await memory.end(turn(2, "And Porto", at=memory.clock.now), turn(3, "Bob's", person="bob"))
        assert await memory.find("Lisbon") == []
        await memory.past.expire(memory.clock.now)
        assert len(await memory.keys()) == 2
        memory.past.reconfigure(MemoryOptions(past_conversations_days=0))
        await memory.past.expire(memory.clock.now)
        assert await memory.keys() == []


async def test_clearing_takes_the_turns_too_and_one_that_was_under_way(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.service.add("ann", "Likes tea")
        await memory.end(turn(1, LISBON), turn(2, "Bob's trip to Lisbon", person="bob"))
        late = await memory.past.documents_of(turn(3, "Lisbon again"))
        await memory.service.clear("ann")
        assert await memory.end(turn(4, "Lisbon, said before")) == 0
        with pytest.raises(DocumentConflict):
            await memory.journal.set(late[-1])  # so its end, which is one transaction, begins again
        await memory.journal.set(late[0])  # what an earlier version left
        assert await memory.find("Lisbon") == []
        assert await memory.find("Lisbon", "bob") == ["Bob's trip to Lisbon"]
        assert await memory.past.erase("ann") == 1
        assert len(await memory.keys()) == 1


async def test_forgetting_a_fact_takes_the_turns_that_say_it(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.service.add("ann", "Has an allergy to peanuts")
        await memory.end(
            turn(1, "My allergy to peanuts is bad", reply="Noted."),
            turn(2, "What can I eat?", reply="No peanuts, because of your allergy."),
            turn(3, LISBON),
        )
        await memory.service.forget("ann", "allergy to peanuts")
        assert await memory.find("peanuts allergy") == []
        assert await memory.find("Lisbon") == [LISBON]


async def test_linked_accounts_share_their_turns_and_parting_gives_them_back(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        mine = replace(turn(1, LISBON, person="web:ann"), speaker=User("web", "ann"))
        theirs = replace(turn(2, "A hotel in Lisbon", person="tg:7"), speaker=User("tg", "7"))
        await memory.end(mine, theirs)
        await memory.service.merge("tg:7", "web:ann")
        assert len(await memory.find("Lisbon", "web:ann")) == 2
        assert await memory.find("Lisbon", "tg:7") == []
        await memory.service.part("web:ann", "tg:7", AccountUnlink("tg:7", named=False))
        assert await memory.find("Lisbon", "web:ann") == [LISBON]
        assert await memory.find("Lisbon", "tg:7") == ["A hotel in Lisbon"]


async def test_a_deleted_conversation_takes_its_turns_along(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(turn(1, LISBON), turn(2, "Lisbon too", thread="thread-2"))
        assert await memory.past.erase_conversation("web:thread-1") == 1
        assert await memory.find("Lisbon") == ["Lisbon too"]


class Watched:
    """Documents of a store, and the keys of those that were read."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.read: list[str] = []

    async def get(self, key: str) -> Document:
        self.read.append(key)
        return await self._store.get(key)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        found = await self._store.list(prefix, limit, after)
        self.read.extend(document.key for document in found)
        return found

    async def set(self, document: Document) -> Document:
        return await self._store.set(document)

    async def delete(self, key: str) -> None:
        await self._store.delete(key)


async def test_deleting_a_conversation_reads_no_other_ones_turns(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.past.erase_conversation("web:before")
        await memory.end(*(turn(number, LISBON, thread=f"thread-{number % 50}") for number in range(200)))
        watched = Watched(memory.journal)
        assert await PastTurnStorage(watched).erase_conversation("web:thread-7") == 4
        assert len(watched.read) <= 3 * 4 + 1
        assert len(await memory.keys()) == len(await memory.keys(INDEX)) == 196


async def test_a_conversation_whose_name_begins_anothers_keeps_its_own(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(
            turn(1, LISBON, thread="a"), turn(2, LISBON, thread="a/b"), turn(3, LISBON, thread="ab")
        )
        assert await memory.past.erase_conversation("web:a") == 1
        assert len(await memory.keys()) == 2


async def test_turns_that_an_earlier_version_kept_are_found_by_conversation_too(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        await memory.end(turn(1, LISBON), turn(2, "Lisbon too", thread="thread-2"))
        for key in await memory.keys(INDEX):
            await memory.journal.delete(key)
        assert await memory.past.erase_conversation("web:thread-1") == 1
        assert await memory.find("Lisbon") == ["Lisbon too"]
        assert len(await memory.keys(INDEX)) == 1


async def test_every_way_out_leaves_nothing_in_the_index(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        past, service = memory.past, memory.service
        mine = replace(turn(2, LISBON, person="web:ann"), speaker=User("web", "ann"))
        for end in (
            lambda: past.erase("ann"),
            lambda: service.clear("ann"),
            lambda: service.forget("ann", "middle seat"),
            lambda: past.erase_conversation("web:thread-1"),
            lambda: past.expire(memory.clock.now + 60 * DAY),
        ):
            await service.add("ann", "Hates the middle seat")
            await memory.end(replace(turn(1, LISBON), at=memory.clock.now + 1))
            assert len(await memory.keys(INDEX)) == 1
            await end()
            assert (await memory.keys(), await memory.keys(INDEX)) == ([], []), end
            memory.clock.now += 10
        await memory.end(mine)
        await past.move("web:ann", "tg:7")
        (key,), (indexed,) = await memory.keys(), await memory.keys(INDEX)
        assert indexed.endswith(key.removeprefix(PREFIX))
        assert "tg%3A7" in key


async def test_all_turns_of_a_year_are_listed_in_the_order_of_their_days(tmp_path: Path) -> None:
    async with kept(tmp_path) as memory:
        start, said = memory.clock.now, []
        for day, count in ((0, 1), (1, 19), (2, 20), (3, 21), (40, 45), (365, 2)):
            memory.clock.now = start + day * DAY
            said += [f"{day}.{number}" for number in range(count)]
            await memory.end(*(turn(1000 + len(said) - count + n, said[n - count]) for n in range(count)))
            await memory.end(turn(5000 + day, "somebody else", person="bob"))
        assert [one.said async for one in memory.past.list("ann")] == said
        assert await memory.past.erase("ann") == len(said)
        assert [one.said async for one in memory.past.list("ann")] == []
