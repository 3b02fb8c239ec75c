"""Memories in files: where they lie, edited by hand, damaged, shared by processes, and out of room."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.errors import DocumentConflict, MemoryFailed
from parley.memory.edits.operations import add, forget
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.model.document import MemoryDocument, StoredMemory, clear
from parley.memory.storage import atomic_files
from parley.memory.storage.folder_names import folder_name
from parley.memory.storage.json_files import FileMemoryStore
from tests.kit.samples.memories import at, context, fact, news, stored, texts

PEOPLE = [
    "ann",
    "a@x",
    "a-x",
    "a_x",
    "A-x",
    "a.x",
    "ANN",
    "Ann",
    "张三",
    "..",
    "../../etc",
    "",
    "con",
    "x" * 300,
    "a/b",
    "a\\b",
]


def store_in(folder: Path) -> FileMemoryStore:
    return FileMemoryStore(folder, pause=0.001)


async def remember(store: FileMemoryStore, person: str, content: str) -> StoredMemory:
    return await store.save(person, apply_diff(await store.load(person), news(content), context(1)))


async def contents(store: FileMemoryStore, person: str = "ann", assistant: str = "") -> list[str]:
    return texts((await store.load(person, assistant)).document.facts)


def file_of(folder: Path, person: str = "ann") -> Path:
    return folder / "users" / folder_name(person) / "memory.json"


# Where they lie


async def test_a_memory_lies_where_people_look_for_it(tmp_path):
    await remember(store_in(tmp_path), "ann", "Likes tea")
    value = json.loads((tmp_path / "users/ann/memory.json").read_text("utf-8"))
    assert value["version"] == "1.0"
    assert [each["content"] for each in value["facts"]] == ["Likes tea"]


async def test_each_assistant_may_have_its_own(tmp_path):
    store = store_in(tmp_path)
    await store.save("ann", stored(fact(1, "Likes tea")), "coder")
    assert (tmp_path / "users/ann/agents/coder/memory.json").is_file()
    assert await contents(store, "ann", "coder") == ["Likes tea"]
    assert await contents(store) == []


async def test_what_is_saved_is_loaded_whole(tmp_path):
    memory = stored()
    for day in range(8):
        memory = apply_diff(memory, news(f"Number {day} is lucky"), context(day))
    memory = forget(memory, "3", at(9)).stored
    saved = await store_in(tmp_path).save("ann", memory)
    assert await store_in(tmp_path).load("ann") == saved
    assert saved == replace(memory, revision=saved.revision)


async def test_a_stranger_has_an_empty_memory_and_leaves_no_trace(tmp_path):
    assert await store_in(tmp_path).load("nobody") == StoredMemory()
    assert list(tmp_path.iterdir()) == []


async def test_no_two_people_share_a_folder_not_even_where_case_does_not_count(tmp_path):
    names = [folder_name(person) for person in PEOPLE]
    assert len({name.lower() for name in names}) == len(PEOPLE)
    assert folder_name(folder_name("a@x")) != folder_name("a@x")
    assert all(name.isascii() and "/" not in name and "." not in name and len(name) < 100 for name in names)


async def test_everybody_with_a_memory_is_listed_by_their_own_id(tmp_path):
    store = store_in(tmp_path)
    for number, person in enumerate(PEOPLE):
        await store.save(person, stored(fact(number, person or "nobody")), "coder" if number % 2 else "")
    assert sorted(await store.people_page("", 100)) == sorted(PEOPLE)
    assert list(await store_in(tmp_path / "elsewhere").people_page("", 100)) == []


async def test_people_come_in_pages(tmp_path):
    store, people = store_in(tmp_path), [person for person in PEOPLE if person]
    for number, person in enumerate(people):
        await store.save(person, stored(fact(number, person)), "coder" if number % 2 else "")
    found, after = list[str](), ""
    while page := await store.people_page(after, 3):
        assert len(page) <= 3
        found, after = [*found, *page], page[-1]
    assert sorted(found) == sorted(people)
    assert found == sorted(people, key=folder_name)
    assert await store_in(tmp_path / "elsewhere").people_page("", 3) == []


async def test_only_the_owner_of_the_process_may_read_them(tmp_path):
    await remember(store_in(tmp_path), "ann", "Likes tea")
    assert file_of(tmp_path).stat().st_mode & 0o077 == 0


# Edited by hand


async def test_a_hand_edit_is_seen_at_once_even_with_the_same_size_and_time(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    file = file_of(tmp_path)
    before = file.stat()
    file.write_text(file.read_text("utf-8").replace("tea", "pie"), "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert await contents(store) == ["Likes pie"]


async def test_a_hand_edit_between_read_and_save_is_never_overwritten(tmp_path):
    store = store_in(tmp_path)
    read = await remember(store, "ann", "Likes tea")
    file = file_of(tmp_path)
    file.write_text(file.read_text("utf-8").replace("tea", "pie"), "utf-8")
    with pytest.raises(DocumentConflict):
        await store.save("ann", add(read, "Has a cat", at(1), 100).stored)
    assert await contents(store) == ["Likes pie"]
    again = await store.load("ann")
    await store.save("ann", add(again, "Has a cat", at(1), 100).stored)
    assert await contents(store) == ["Likes pie", "Has a cat"]


async def test_a_hand_edit_while_it_is_being_saved_is_not_overwritten(tmp_path):
    read = await remember(store_in(tmp_path), "ann", "Likes tea")
    before = {path.name for path in file_of(tmp_path).parent.iterdir()}

    def edit() -> bool:
        file_of(tmp_path).write_text('{"facts": [{"content": "Written by hand"}]}', "utf-8")
        return file_of(tmp_path).read_bytes() != b"as it was read"

    with pytest.raises(DocumentConflict):
        atomic_files.write([(file_of(tmp_path), b"as it was read")], unless=edit)
    assert {path.name for path in file_of(tmp_path).parent.iterdir()} == before
    with pytest.raises(DocumentConflict):
        await store_in(tmp_path).save("ann", add(read, "Has a cat", at(1), 100).stored)
    assert await contents(store_in(tmp_path)) == ["Written by hand"]


async def test_an_edited_file_keeps_its_notes(tmp_path):
    store = store_in(tmp_path)
    await store.save("ann", replace(stored(fact(1, "Likes tea")), notes=clear(stored(off=True)).notes))
    file = file_of(tmp_path)
    file.write_text('{"facts": [{"content": "Written by hand"}]}', "utf-8")
    found = await store.load("ann")
    assert texts(found.document.facts) == ["Written by hand"]
    assert (found.notes.generation, found.notes.off) == (1, True)


async def test_a_file_with_the_mark_that_some_editors_put_first_is_read(tmp_path):
    file_of(tmp_path).parent.mkdir(parents=True)
    file_of(tmp_path).write_text('{"facts": [{"content": "Likes tea"}]}', "utf-8-sig")
    assert await contents(store_in(tmp_path)) == ["Likes tea"]


async def test_an_emptied_file_is_an_empty_memory(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    file_of(tmp_path).write_text("", "utf-8")
    assert await contents(store) == []
    await remember(store, "ann", "Has a cat")
    assert await contents(store) == ["Has a cat"]


async def test_a_removed_file_is_an_empty_memory(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    file_of(tmp_path).unlink()
    assert await contents(store) == []


async def test_a_removed_file_does_not_take_the_switch_with_it(tmp_path):
    store = store_in(tmp_path)
    await store.save("ann", stored(fact(1, "Likes tea"), off=True))
    file_of(tmp_path).unlink()
    assert (await store.load("ann")).notes.off


async def test_an_unchanged_file_is_not_read_again(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    old = 1_700_000_000
    for name in ("memory.json", "memory.notes.json"):
        os.utime(file_of(tmp_path).with_name(name), (old, old))
    first = await store.load("ann")
    assert await store.load("ann") is first


# Damaged


async def test_bad_entries_are_put_aside_once_and_the_rest_is_kept(tmp_path, caplog):
    file = file_of(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text('{"facts": [7, {"content": "Likes tea"}, {"content": null, "id": "kept"}]}', "utf-8")
    for _ in range(2):
        assert await contents(store_in(tmp_path)) == ["Likes tea"]
    aside = file.with_name("memory.quarantine.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in aside] == [7, {"content": None, "id": "kept"}]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "memory.quarantine.jsonl" in caplog.text
    await remember(store_in(tmp_path), "ann", "Has a cat")
    assert await contents(store_in(tmp_path)) == ["Likes tea", "Has a cat"]


@pytest.mark.parametrize("damage", ['{"facts": [', "\x00\x00\x00", "not json", "[]"])
async def test_a_corrupt_file_is_set_aside_and_never_overwritten(tmp_path, caplog, damage):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    file = file_of(tmp_path)
    file.write_text(damage, "utf-8")
    assert await contents(store) == []
    await remember(store, "ann", "Has a cat")
    (aside,) = file.parent.glob("memory.json.corrupt-*")
    assert aside.read_text("utf-8") == damage
    assert aside.name in caplog.text
    assert str(file) in caplog.text
    assert await contents(store) == ["Has a cat"]


async def test_bytes_that_are_no_text_are_set_aside_too(tmp_path):
    file = file_of(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xff\xfe{}")
    assert await contents(store_in(tmp_path)) == []
    (aside,) = file.parent.glob("memory.json.corrupt-*")
    assert aside.read_bytes() == b"\xff\xfe{}"


@pytest.mark.parametrize("length", [0, 9])
async def test_a_file_that_an_editor_is_just_writing_is_looked_at_again(tmp_path, length):
    file = file_of(tmp_path)
    file.parent.mkdir(parents=True)
    whole = '{"facts": [{"content": "Likes tea"}]}'
    file.write_text(whole[:length], "utf-8")
    in_an_hour = time.time() + 3600
    os.utime(file, (in_an_hour, in_an_hour))  # just written, however long the test takes to get there
    pauses = []

    def write_on(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            file.write_text(whole, "utf-8")

    found = await FileMemoryStore(tmp_path, sleep=write_on).load("ann")
    assert len(pauses) == 2
    assert texts(found.document.facts) == ["Likes tea"]
    assert not list(file.parent.glob("*corrupt*"))


async def test_corrupt_notes_are_set_aside_and_the_memory_stays(tmp_path, caplog):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    file_of(tmp_path).with_name("memory.notes.json").write_text("{", "utf-8")
    assert await contents(store) == ["Likes tea"]
    assert "memory.notes.json.corrupt-" in caplog.text
    await remember(store, "ann", "Has a cat")
    assert await contents(store) == ["Likes tea", "Has a cat"]


async def test_what_a_crash_left_half_written_is_cleaned_up(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    left = file_of(tmp_path).with_name(f".memory.json.{'0' * 32}.tmp")
    left.write_text("half", "utf-8")
    await remember(store, "ann", "Has a cat")
    assert not left.exists()


# Out of reach


async def test_a_folder_that_cannot_be_written_is_named_with_what_helps(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way", "utf-8")
    with pytest.raises(MemoryFailed, match=r"a file.*Check"):
        await remember(store_in(blocked), "ann", "Likes tea")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full's file system rules")
async def test_a_disk_that_is_full_loses_nothing(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes tea")
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.unit.memory.storage.full_disk_child",
        str(tmp_path),
        stdout=asyncio.subprocess.PIPE,
    )
    said = (await child.communicate())[0].decode()
    assert "the disk is full. Free some space; nothing is lost." in said
    assert str(tmp_path / "users" / "ann") in said
    assert await contents(store) == ["Likes tea"]
    assert sorted(path.name for path in file_of(tmp_path).parent.iterdir()) == [
        "memory.json",
        "memory.notes.json",
    ]


# Several at a time


async def test_of_two_who_read_the_same_only_one_saves(tmp_path):
    one, other = store_in(tmp_path), store_in(tmp_path)
    mine, theirs = await one.load("ann"), await other.load("ann")
    await one.save("ann", add(mine, "Likes tea", at(1), 100).stored)
    with pytest.raises(DocumentConflict):
        await other.save("ann", add(theirs, "Has a cat", at(1), 100).stored)
    assert await contents(other) == ["Likes tea"]


async def test_two_processes_lose_nothing_of_each_other(tmp_path):
    children = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.unit.memory.storage.adding_child", str(tmp_path), name, "25"
        )
        for name in ("one", "two")
    ]
    assert [await child.wait() for child in children] == [0, 0]
    expected = {f"{name} said {number}" for name in ("one", "two") for number in range(25)}
    assert set(await contents(store_in(tmp_path))) == expected


async def test_many_tasks_lose_nothing_of_each_other(tmp_path):
    store = store_in(tmp_path)

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
    assert len(await contents(store)) == 30


async def test_the_event_loop_never_waits_for_the_disk(tmp_path):
    store = store_in(tmp_path)
    lock = tmp_path / ".locks"
    await remember(store, "ann", "Likes tea")
    (held,) = lock.iterdir()
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.unit.memory.storage.holding_child", str(held),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    await child.stdout.readline()
    saving = asyncio.create_task(remember(store_in(tmp_path), "ann", "Has a cat"))
    for _ in range(100):
        await asyncio.sleep(0)  # the loop goes round while the save waits for its lock
    assert not saving.done()
    child.stdin.close()
    await saving
    await child.wait()
    assert await contents(store) == ["Likes tea", "Has a cat"]


# Erased


async def test_erasing_leaves_no_word_of_it_for_any_assistant(tmp_path):
    store = store_in(tmp_path)
    await remember(store, "ann", "Likes jasmine tea")
    await remember(store, "ann", "Lives in Rome")
    await store.save("ann", stored(fact(1, "Likes jasmine tea")), "coder")
    file = file_of(tmp_path)
    file.with_name("memory.json.corrupt-20260101").write_text("jasmine", "utf-8")
    file.with_name("memory.quarantine.jsonl").write_text("jasmine", "utf-8")
    await store.erase("ann")
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(b"jasmine" not in path.read_bytes() and b"Rome" not in path.read_bytes() for path in left)
    assert list(await store.people_page("", 100)) == []
    assert await contents(store) == await contents(store, "ann", "coder") == []


async def test_what_is_under_way_while_erased_is_not_stored(tmp_path):
    store = store_in(tmp_path)
    read = await store.load("ann")
    await store.erase("ann")
    late = apply_diff(read, news("Likes tea"), context(1))
    with pytest.raises(DocumentConflict):
        await store.save("ann", late)
    again = await store.load("ann")
    assert apply_diff(again, news("Likes tea"), context(1)) is again
    assert again.document == MemoryDocument()


async def test_erasing_keeps_the_switch(tmp_path):
    store = store_in(tmp_path)
    await store.save("ann", stored(fact(1, "Likes tea"), off=True))
    await store.erase("ann")
    assert (await store.load("ann")).notes.off
