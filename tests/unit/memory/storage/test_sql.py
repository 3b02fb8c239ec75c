"""Memories in the SQL store: the same promises as the files'."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document
from parley.memory.edits.operations import add, forget
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.model.document import MemoryDocument, StoredMemory
from parley.memory.storage.notes_format import read_row
from parley.memory.storage.sql import SqlMemoryStore
from parley.store.interface import Store
from tests.kit.doubles.web import MemoryDocuments
from tests.kit.engine import CHOSEN
from tests.kit.machine import patience
from tests.kit.samples.memories import at, context, fact, news, stored, texts
from tests.kit.waiting import until


@pytest.fixture
async def documents(tmp_path: Path) -> AsyncIterator[Store]:
    async with CHOSEN.engine().open(tmp_path) as opened:
        yield opened


@pytest.fixture
def store(documents: Store) -> SqlMemoryStore:
    return SqlMemoryStore(documents)


async def test_what_is_saved_is_loaded_whole(store):
    memory = stored()
    for day in range(8):
        memory = apply_diff(memory, news(f"Number {day} is lucky"), context(day))
    memory = forget(memory, "3", at(9)).stored
    saved = await store.save("ann", memory)
    assert await store.load("ann") == saved
    assert saved == replace(memory, revision=saved.revision)


async def test_a_stranger_has_an_empty_memory(store):
    assert await store.load("nobody") == StoredMemory()


async def test_people_and_assistants_are_kept_apart(store):
    people = ["a/b", "a", "a%2Fb", "张三", "a:b", "A"]
    for number, person in enumerate(people):
        await store.save(person, stored(fact(number, person)))
        await store.save(person, stored(fact(number, f"{person} with coder")), "coder/b")
    for person in people:
        assert texts((await store.load(person)).document.facts) == [person]
        assert texts((await store.load(person, "coder/b")).document.facts) == [f"{person} with coder"]
    assert sorted(await store.people_page("", 10)) == sorted(people)


async def test_more_people_than_a_page_are_listed(store):
    people = [f"person{number:03}" for number in range(230)]
    for person in people:
        await store.save(person, stored(fact(1, "Likes tea")))
    assert list(await store.people_page("", 1_000)) == people


async def test_of_two_who_read_the_same_only_one_saves(store):
    mine, theirs = await store.load("ann"), await store.load("ann")
    await store.save("ann", add(mine, "Likes tea", at(1), 100).stored)
    with pytest.raises(DocumentConflict):
        await store.save("ann", add(theirs, "Has a cat", at(1), 100).stored)


async def test_many_tasks_lose_nothing_of_each_other(store):
    async def remember_all(name: str) -> None:
        for number in range(10):
            while True:
                read = await store.load("ann")
                try:
                    await store.save("ann", add(read, f"{name} said {number}", at(1), 1000).stored)
                except DocumentConflict:
                    continue
                break

    await asyncio.gather(*(remember_all(name) for name in ("Kim", "Lee", "Max")))
    assert len((await store.load("ann")).document.facts) == 30


@pytest.mark.parametrize("damage", ["{", "null", '{"document": "{", "notes": {}}', '{"document": 3}'])
async def test_a_corrupt_document_is_set_aside_and_never_lost(store, documents, caplog, damage):
    await store.save("ann", stored(fact(1, "Likes tea")))
    there = await documents.get("memory/ann/")
    await documents.set(replace(there, body=damage))
    read = await store.load("ann")
    assert read.document == MemoryDocument()
    assert "memory/ann/" in caplog.text
    await store.save("ann", add(read, "Has a cat", at(1), 100).stored)
    assert [document.body for document in await documents.list("memory-aside/")] == [damage]


async def test_bad_entries_are_kept_aside_once_and_the_rest_is_used(store, documents):
    await store.save("ann", stored(fact(1, "Likes tea")))
    there = await documents.get("memory/ann/")
    damaged = there.body.replace(
        '\\"content\\": \\"Likes tea\\"', '\\"content\\": \\"Likes tea\\"}, {\\"content\\": 7'
    )
    await documents.set(replace(there, body=damaged))
    for _ in range(2):
        assert texts((await store.load("ann")).document.facts) == ["Likes tea"]
    (aside,) = await documents.list("memory-aside/")
    assert '"content": 7' in aside.body


@pytest.mark.parametrize("facts", [3, 400])
async def test_what_another_node_saved_is_seen_at_once(store, documents, facts):
    other = SqlMemoryStore(documents)
    many = stored(*(fact(number, f"Number {number} is lucky") for number in range(facts)))
    first = await store.save("ann", many)
    seen = await other.load("ann")
    assert seen.document == many.document
    changed = await other.save("ann", add(seen, "I am left-handed", at(1), 1000).stored)
    assert await store.load("ann") == changed
    assert await store.load("ann") == changed
    with pytest.raises(DocumentConflict):
        await store.save("ann", first)
    await other.erase("ann")
    assert (await store.load("ann")).document == MemoryDocument()


async def test_the_loop_goes_on_while_a_big_memory_is_read(store, monkeypatch):
    many = stored(*(fact(number, f"Number {number} is lucky on some days") for number in range(3000)))
    await store.save("ann", many)
    begun, go_on = threading.Event(), threading.Event()

    def held(text):
        begun.set()
        assert go_on.wait(patience(20))
        return read_row(text)

    monkeypatch.setattr("parley.memory.storage.sql.read_row", held)
    reading = asyncio.create_task(SqlMemoryStore(store._documents).load("ann"))
    await until(begun.is_set, "it is read")
    go_on.set()  # by the loop, which is free
    assert (await reading).document == many.document


async def test_erasing_leaves_no_word_of_it_for_any_assistant(store, documents):
    for assistant in ("", "coder"):
        memory = apply_diff(await store.load("ann", assistant), news("Likes jasmine tea"), context(1))
        memory = await store.save("ann", memory, assistant)
        await store.save("ann", apply_diff(memory, news("Lives in Rome"), context(2)), assistant)
    await documents.set(Document("memory-aside/ann//1", "jasmine", 0))
    await store.save("annabel", stored(fact(1, "Stays here")))
    await store.erase("ann")
    left = [*await documents.list("memory/ann/"), *await documents.list("memory-aside/")]
    assert all("jasmine" not in document.body and "Rome" not in document.body for document in left)
    assert list(await store.people_page("", 10)) == ["annabel"]


async def test_what_is_under_way_while_erased_is_not_stored(store):
    read = await store.load("ann")
    await store.erase("ann")
    with pytest.raises(DocumentConflict):
        await store.save("ann", apply_diff(read, news("Likes tea"), context(1)))
    again = await store.load("ann")
    assert apply_diff(again, news("Likes tea"), context(1)) is again


class CountedDocuments(MemoryDocuments):
    """Counts the documents that are read from lists."""

    read = 0

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        found = await super().list(prefix, limit, after)
        self.read += len(found)
        return found


async def test_people_come_in_pages_that_read_only_themselves():
    documents = CountedDocuments()
    store, people = SqlMemoryStore(documents), [f"test:user {number:03}" for number in range(250)]
    for person in people:
        for assistant in ("", "helper"):
            await store.save(person, stored(fact(1, "Likes tea")), assistant)
    await store.erase(people[3])
    found, after, most = list[str](), "", 0
    while True:
        documents.read = 0
        page = await store.people_page(after, 10)
        most = max(most, documents.read)
        if not page:
            break
        found, after = [*found, *page], page[-1]
    assert found == [person for person in people if person != people[3]]
    assert most <= 100  # one page of documents, however many people there are
