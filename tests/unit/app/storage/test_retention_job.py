"""How long what is over is kept: as the configuration says, kind by kind."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest

from parley.app.settings.schema.retention import RetentionSection
from parley.app.storage.retention_job import apply_retention
from parley.core.hitl import audit, records
from parley.core.hitl.records import QuestionRecord
from parley.core.model.address import Conversation, User
from parley.core.model.codec import encode
from parley.core.model.options import DecisionRules
from parley.core.model.questions import Decision, Question
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.state.conversations import ConversationRecord, conversation_document_key, load_conversation
from parley.store.retention import DAY, Retention
from parley.store.sqlite import SqliteStore
from tests.kit.settings_reading import mistakes, settings
from tests.kit.store.nodes import Clock, claim_one

ANN = User("test", "ann")
OLD, NEW = Conversation("test", "old"), Conversation("test", "new")


def test_days_become_the_stores_seconds():
    section = settings("retention: {done_days: 10, names_days: 2, dead_letters_days: 30}").settings.retention
    assert section.of_store() == Retention(10 * DAY, 2 * DAY, 30 * DAY)
    assert settings("").settings.retention.of_store() == Retention(7 * DAY, 7 * DAY, math.inf)


def test_the_old_key_of_the_audit_record_still_works():
    assert settings("questions: {audit_days: 30}").settings.retention.audit_days == 30
    both = settings("questions: {audit_days: 30}\nretention: {audit_days: 30, done_days: 9}").settings
    assert (both.retention.audit_days, both.retention.done_days) == (30, 9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("questions: {audit_days: 30}\nretention: {audit_days: 31}", "write the second one only"),
        ("retention: {names_days: 0.5}", "retention.names_days"),
        ("retention: {files_days: 8}", "files_days must not be more than done_days"),
        ("retention: {audit_on_erase: burn}", "retention.audit_on_erase"),
        ("retention: {done_days: 0}", "retention.done_days"),
        ("questions: {audit_days: never}", "audit_days"),
    ],
)
def test_what_cannot_be_is_one_line(text: str, said: str):
    (line,) = mistakes(text)
    assert said in line


def question(key: str, *, decided_at: float = 0.0, dropped: bool = False) -> Document:
    decision = Decision("yes", "", ANN, decided_at) if decided_at else None
    record = QuestionRecord(
        Question(key, "really?"), "i", "t", "thread", NEW.key, NEW.key, ANN, True, "m", "en", 0.0,
        DecisionRules(),
        decision=decision, dropped=dropped,
    )  # fmt: skip
    return records.new_question_document(record)


async def test_questions_go_once_they_are_decided_for_long(tmp_path: Path):
    now = 1000 * DAY
    async with SqliteStore.open(tmp_path / "db") as store:
        old, young = question("old-1", decided_at=now - 91 * DAY), question("young-1", decided_at=now - DAY)
        for each in (old, young, question("open-1"), question("dropped-1", dropped=True)):
            await store.set(each)
        await apply_retention(store, tmp_path / "files", RetentionSection(), now, {})
        left = [document.key for document in await store.list(records.QUESTION_PREFIX)]
    assert left == ["question/open-1", "question/young-1"]


async def test_idle_conversations_lose_their_words_and_keep_their_thread(tmp_path: Path):
    now = 1000 * DAY
    async with SqliteStore.open(tmp_path / "db") as store:
        for place, at in ((OLD, now - 31 * DAY), (NEW, now - DAY)):
            record = ConversationRecord(
                3, 7, "fast", title="a secret", last_at=at, said=("hello",), owner="test:ann"
            )
            await store.set(Document(conversation_document_key(place), encode(record), 0))
        await apply_retention(store, tmp_path / "files", RetentionSection(), now, {})
        assert (await load_conversation(store, OLD))[0].title == "a secret"
        await apply_retention(store, tmp_path / "files", RetentionSection(conversations_days=30), now, {})
        old, new = (await load_conversation(store, OLD))[0], (await load_conversation(store, NEW))[0]
    assert old == ConversationRecord(3, 7, "fast", last_at=now - 31 * DAY, owner="test:ann")
    assert (new.title, new.said) == ("a secret", ("hello",))


async def test_lines_of_the_audit_record_and_old_files_go(tmp_path: Path):
    now = time.time()
    files = tmp_path / "files"
    for name, age in (("old", 8 * DAY), ("new", DAY)):
        (files / name).mkdir(parents=True)
        for path in (files / name / "0", files / name):
            if path != files / name:
                path.write_text("picture")
            os.utime(path, (now - age, now - age))
    async with SqliteStore.open(tmp_path / "db") as store:
        for age in (400 * DAY, DAY):
            await store.set(audit.ended_document(f"turn-{age}", NEW.key, "answered", now - age))
        await apply_retention(store, files, RetentionSection(), now, {})
        assert len(await store.list(audit.AUDIT_PREFIX)) == 1
    assert [path.name for path in files.iterdir()] == ["new"]
    await clean_without_a_folder(tmp_path)


async def clean_without_a_folder(folder: Path) -> None:
    async with SqliteStore.open(folder / "db") as store:
        await apply_retention(store, folder / "nowhere", RetentionSection(), time.time(), {})


async def test_dead_letters_go_after_the_time_that_is_set(tmp_path: Path):
    clock = Clock()
    kept = Retention(dead=30 * DAY)
    async with SqliteStore.open(tmp_path / "db", clock=clock, retention=kept) as store:
        await store.put(NewQueueItem("in", "x", "1"))
        claim = await claim_one(store)
        await store.bury(claim, claim.items, "no model")
        clock.advance(29 * DAY)
        await store.prune(clock.now)
        assert len(await store.dead()) == 1
        clock.advance(2 * DAY)
        await store.prune(clock.now)
        assert await store.dead() == ()


@pytest.mark.parametrize(
    "text",
    [
        "injection: off",
        'injection: "off"',
        "injection_enabled: false",
        "{injection: auto, injection_enabled: no}",
    ],
)
def test_there_is_one_truth_about_what_the_agent_is_told(text: str):
    body = text if text.startswith("{") else f"{{{text}}}"
    section = settings(f"memory: {body}").settings.memory
    assert (section.injection, section.injection_enabled) == ("off", False)


def test_memory_is_told_unless_it_is_switched_off():
    section = settings("memory: {injection: context}").settings.memory
    assert (section.injection, section.injection_enabled) == ("context", True)
    assert settings("memory: {temperature: 0.2}").settings.memory.temperature == 0.2
