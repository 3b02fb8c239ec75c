"""Memories taken over from the reference system's layouts: whole, once, and without touching them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from parley.core.model.errors import MemoryFailed
from parley.memory.edits.operations import add, forget
from parley.memory.migration.migrate import MigrationOptions, migrate
from parley.memory.options import MemoryOptions
from parley.memory.storage.json_files import FileMemoryStore
from tests.kit.samples.memories import at, texts

MOST = MemoryOptions().max_facts


def wishes(**other):
    options: dict[str, Any] = {"now": at(50), "most": MOST}
    return MigrationOptions(**options | other)


def entry(number, content, **other):
    return {
        "id": f"fact_{number:08x}", "content": content, "category": "preference", "confidence": 0.9,
        "createdAt": f"2026-04-0{number}T10:00:00.123456Z", "source": "thread-1",
    } | other  # fmt: skip


def first_version(*facts, work=""):
    section = {"summary": "", "updatedAt": ""}
    return {
        "version": "1.0",
        "lastUpdated": "2026-04-30T10:00:00.000000Z",
        "user": {"workContext": {"summary": work}, "personalContext": section, "topOfMind": section},
        "history": {"recentMonths": section, "earlierContext": section, "longTermBackground": section},
        "facts": list(facts),
    }  # fmt: skip


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


def put_fact(folder, number, content, **other):
    """A fact of version 2, as the reference system writes it."""
    front = {
        "id": f"fact_{number:08x}", "schemaVersion": 2, "category": "preference", "confidence": 0.9,
        "status": "active", "topics": [], "source": {"type": "conversation", "threadId": "thread-1"},
        "createdAt": f"2026-06-0{number}T10:00:00.123456Z", "updatedAt": "2026-06-10T10:00:00Z",
        "revision": 1, "user_id": "ann", "agent_name": "__default__",
    } | other  # fmt: skip
    text = yaml.safe_dump(front, allow_unicode=True, sort_keys=False)
    put(
        folder / "facts" / f"{number:02x}" / f"fact_{number:08x}.md",
        f"---\n{text}---\n\n# {content.splitlines()[0][:20]}\n\n{content}\n",
    )


def tree(folder):
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "theirs"


@pytest.fixture
def store(tmp_path: Path) -> FileMemoryStore:
    return FileMemoryStore(tmp_path / "ours", pause=0.001)


async def remembered(store, person="ann", assistant=""):
    return texts((await store.load(person, assistant)).document.facts)


async def test_one_file_for_all_becomes_the_memory_of_the_person_named(base, store):
    put(base / "memory.json", first_version(entry(1, "Likes tea"), work="Writes Go."))
    for source in (base, base / "memory.json"):
        await migrate(source, store, wishes(person="ann"))
    found = (await store.load("ann")).document
    assert texts(found.facts) == ["Likes tea"]
    assert found.summaries.work.text == "Writes Go."
    one = found.facts[0]
    assert (one.id, one.category, one.confidence, one.source) == (
        "fact_00000001",
        "preference",
        0.9,
        "thread-1",
    )
    assert one.created_at == "2026-04-01T10:00:00.123456Z"


async def test_each_users_file_becomes_their_memory(base, store):
    put(base / "users/ann/memory.json", first_version(entry(1, "Likes tea")))
    put(base / "users/bob/memory.json", first_version(entry(1, "Has a cat")))
    put(base / "users/Kim-0123456789abcdef/memory.json", first_version(entry(1, "Lives in Rome")))
    report = await migrate(base, store, wishes())
    assert await remembered(store, "ann") == ["Likes tea"]
    assert await remembered(store, "bob") == ["Has a cat"]
    assert await remembered(store, "Kim-0123456789abcdef") == ["Lives in Rome"]
    assert sum(one.added for one in report.taken) == 3


async def test_users_may_be_given_the_ids_that_they_have_here(base, store):
    put(base / "users/u-17/memory.json", first_version(entry(1, "Likes tea")))
    await migrate(base, store, wishes(renamed={"u-17": "ann"}))
    assert await remembered(store, "ann") == ["Likes tea"]


async def test_the_second_version_is_taken_from_its_files(base, store):
    user = base / "users/ann"
    manifest = first_version(work="Writes Go.") | {"version": "2.0", "revision": 7}
    del manifest["facts"]
    put(user / "memory.json", manifest)
    default = user / "agents/__default__"
    put_fact(default, 2, "Likes tea.\nWith milk.", lastConfirmedAt="2026-06-09T10:00:00Z")
    put_fact(default, 1, "Knows Rust", category="other", categoryExtension="knowledge")
    put_fact(
        default, 3, "Is called Ann", source={"type": "manual", "threadId": None}, sourceError="called Anna"
    )
    await migrate(base, store, wishes())
    facts = {each.content: each for each in (await store.load("ann")).document.facts}
    assert list(facts) == ["Knows Rust", "Likes tea.\nWith milk.", "Is called Ann"]
    assert facts["Knows Rust"].category == "knowledge"
    assert facts["Likes tea.\nWith milk."].confirmed_at == "2026-06-09T10:00:00.000000Z"
    assert facts["Is called Ann"].manual
    assert facts["Is called Ann"].source_error == "called Anna"
    assert (await store.load("ann")).document.summaries.work.text == "Writes Go."


async def test_assistants_memories_become_one_or_stay_apart_as_wished(base, store):
    put(base / "users/ann/memory.json", first_version(entry(1, "Likes tea")))
    put(base / "users/ann/agents/coder/memory.json", first_version(entry(1, "Writes Go")))
    put_fact(base / "users/ann/agents/writer", 3, "Writes poems")
    await migrate(base, store, wishes())
    assert await remembered(store) == ["Likes tea", "Writes Go", "Writes poems"]
    await migrate(base, store, wishes(per_assistant=True, renamed={"ann": "bob"}))
    assert await remembered(store, "bob") == ["Likes tea"]
    assert await remembered(store, "bob", "coder") == ["Writes Go"]
    assert await remembered(store, "bob", "writer") == ["Writes poems"]


async def test_twice_is_as_good_as_once_and_the_sources_stay_untouched(base, store, tmp_path):
    put(
        base / "users/ann/memory.json",
        first_version(entry(1, "Likes tea"), entry(2, "Has a cat"), work="Writes Go."),
    )
    put_fact(base / "users/ann/agents/__default__", 3, "Lives in Rome")
    before = tree(base)
    await migrate(base, store, wishes())
    ours = tree(tmp_path / "ours")
    report = await migrate(base, store, wishes(now=at(60)))
    assert [(one.added, one.known, one.summaries) for one in report.taken] == [(0, 2, 0), (0, 1, 0)]
    assert tree(tmp_path / "ours") == ours
    assert tree(base) == before


async def test_a_dry_run_tells_the_same_and_changes_nothing(base, store, tmp_path):
    put(base / "users/ann/memory.json", first_version(entry(1, "Likes tea"), work="Writes Go."))
    put_fact(base / "users/ann/agents/__default__", 3, "likes tea.")
    dry = await migrate(base, store, wishes(dry_run=True))
    assert not (tmp_path / "ours").exists()
    assert dry.taken == (await migrate(base, store, wishes())).taken
    lines = list(dry.lines())
    assert "to ann: 1 facts would be added, 0 known already" in lines[0]
    assert "to ann: 0 facts would be added, 1 known already" in lines[1]
    assert lines[-1] == "Nothing was changed. Without --dry-run 1 facts of 1 persons are taken over."


async def test_what_is_remembered_here_already_stays(base, store):
    await store.save("ann", add(await store.load("ann"), "Lives in Rome", at(1), MOST).stored)
    put(base / "users/ann/memory.json", first_version(entry(1, "Likes tea"), entry(2, "lives in Rome.")))
    report = await migrate(base, store, wishes())
    assert await remembered(store) == ["Lives in Rome", "Likes tea"]
    assert [(one.added, one.known) for one in report.taken] == [(1, 1)]


async def test_what_was_forgotten_here_does_not_come_back(base, store):
    put(base / "users/ann/memory.json", first_version(entry(1, "Likes tea"), entry(2, "Has a cat")))
    await migrate(base, store, wishes())
    await store.save("ann", forget(await store.load("ann"), "tea", at(50)).stored)
    await migrate(base, store, wishes(now=at(60)))
    assert await remembered(store) == ["Has a cat"]


async def test_what_cannot_be_read_is_told_and_the_rest_is_taken(base, store):
    put(base / "users/ann/memory.json", first_version(entry(1, "Likes tea"), {"content": None}))
    put(base / "users/bob/memory.json", "{ half a file")
    default = base / "users/ann/agents/__default__"
    put_fact(default, 3, "Has a cat")
    put(default / "facts/04/fact_4.md", "no front matter")
    put(default / "facts/05/fact_5.md", "---\n: [\n---\n\n# x\n\nx\n")
    put(default / "facts/07/fact_7.md", "---\n" + "[" * 3_000 + "\n---\nx")
    put(default / "facts/08/fact_8.md", "---\n? [a]\n: b\n---\nx")
    put(default / "facts/06/fact_6.md", "---\nid: fact_6\n---\n\n# title only\n")
    report = await migrate(base, store, wishes())
    assert await remembered(store) == ["Likes tea", "Has a cat"]
    unreadable = [line for line in report.lines() if "cannot be read" in line]
    assert len(unreadable) == 7
    assert any("users/bob/memory.json" in line for line in unreadable)


async def test_the_cap_holds_and_what_is_left_out_is_told(base, store):
    put(
        base / "users/ann/memory.json",
        first_version(*(entry(n, f"Number {n} is lucky") for n in range(1, 9))),
    )
    (one,) = (await migrate(base, store, wishes(most=5))).taken
    assert (one.added, one.left_out) == (5, 3)
    assert len(await remembered(store)) == 5


async def test_a_time_that_yaml_reads_as_one_is_a_time(base, store):
    text = "---\nid: fact_1\ncreatedAt: 2026-06-01T10:00:00Z\nconfidence: 0.9\n---\n\nLikes tea\n"
    put(base / "users/ann/agents/__default__/facts/01/fact_1.md", text)
    await migrate(base, store, wishes())
    (one,) = (await store.load("ann")).document.facts
    assert (one.content, one.created_at) == ("Likes tea", "2026-06-01T10:00:00.000000Z")


async def test_nothing_to_take_over_is_an_error_that_says_what_to_name(base, store):
    with pytest.raises(MemoryFailed, match=r"Name a memory\.json"):
        await migrate(base, store, wishes())
