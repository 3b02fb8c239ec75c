"""Everything about a person goes, whatever stops it on its way; and nothing of anybody else."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

from parley.core.hitl import audit
from parley.core.model.address import User
from parley.core.model.errors import PersonBusy, StoreUnavailable
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.ports.journal import Document
from parley.core.privacy.report import DataKind, PrivacyReport
from parley.core.privacy.service import PrivacyService
from parley.core.privacy.sources import AuditOnErase, ExportPiece
from parley.core.state.conversations import ConversationRepository, load_conversation
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import RecordingMemory, ScriptedAgent, core
from tests.kit.samples.person_history import (
    ANN,
    AWAY,
    HOME,
    OPTIONS,
    OTHER,
    TEAM,
    TRACES,
    ThreadShelf,
    live,
    rows,
    sources,
    traces,
)

ACCOUNT = "test:ann-4711"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder in which everything happened, and the agent server's threads."""
    folder = tmp_path_factory.mktemp("lived")
    return folder, asyncio.run(live(folder))


@pytest.fixture
def folder(lived: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    return Path(shutil.copytree(lived[0], tmp_path / "copy"))


@pytest.fixture
def threads(lived: tuple[Path, dict[str, str]]) -> ThreadShelf:
    return ThreadShelf(dict(lived[1]))


@asynccontextmanager
async def opened(folder: Path, threads: ThreadShelf, **changes: object) -> AsyncIterator[PrivacyService]:
    async with SqliteStore.open(folder / "parley.db") as store:
        conversations = await ConversationRepository.open(store)
        yield PrivacyService(sources(store, folder, conversations, threads=threads, **changes))  # type: ignore[arg-type]


def counts(report: PrivacyReport) -> dict[DataKind, int]:
    return {count.kind: count.number for count in report.done if count.number}


async def test_nothing_of_a_person_is_left_and_all_of_the_others(folder: Path, threads: ThreadShelf) -> None:
    before = [row for row in rows(folder) if not any(trace in row for trace in TRACES)]
    assert traces(folder)
    async with opened(folder, threads, told=("langsmith", "webhook")) as desk:
        report = await desk.erase(ACCOUNT)
    assert traces(folder) == []
    assert "What langsmith, webhook heard of their opinions on answers: delete it there." in report.kept
    assert not report.unfinished
    found = counts(report)
    assert found[DataKind.MESSAGES] == 8
    assert found[DataKind.QUESTIONS] == 1
    assert found[DataKind.DECISIONS] == 1
    assert (found[DataKind.CONVERSATIONS], found[DataKind.SHARES], found[DataKind.THREADS]) == (1, 2, 2)
    assert found[DataKind.HEARD] == 1
    assert found[DataKind.SENT] == 2
    assert found[DataKind.FILES] == 1
    assert found[DataKind.AUDIT] == 2
    assert found[DataKind.USAGE] >= 1
    assert found[DataKind.LINKS] >= 3
    assert found[DataKind.ACCESS] >= 3
    assert found[DataKind.FEEDBACK] == 1
    after = rows(folder)
    gone = [row for row in before if row not in after and "lanes" not in row.split(":")[0]]
    assert all("Bob" not in row and "good morning" not in row for row in gone), gone
    assert any("good morning" in row for row in after)
    assert len(threads.threads) == 3


async def test_a_second_call_finds_nothing(folder: Path, threads: ThreadShelf) -> None:
    async with opened(folder, threads) as desk:
        first = await desk.erase(ACCOUNT)
        second = await desk.erase(ACCOUNT)
        other = await desk.erase(f"test:{OTHER.id}")
    assert set(first.accounts) == {ACCOUNT, f"test:{OTHER.id}"}
    assert counts(second) == counts(other) == {}
    assert second.begun == 0.0


async def test_any_account_names_the_whole_person(folder: Path, threads: ThreadShelf) -> None:
    async with opened(folder, threads) as desk:
        assert (await desk.find(f"test:{OTHER.id}")).person == ACCOUNT
        await desk.erase(f"test:{OTHER.id}")
    assert traces(folder) == []


@pytest.mark.parametrize("name", ["", "ann", ":", "test:", ":ann", "test:chat:topic"])
async def test_what_is_no_account_is_refused(folder: Path, threads: ThreadShelf, name: str) -> None:
    async with opened(folder, threads) as desk:
        with pytest.raises(ValueError, match="not a"):
            await desk.erase(name)


class Dying(SqliteStore):
    """A store whose process dies at one of its changes."""

    __slots__ = ()
    left = 0

    @classmethod
    def _count(cls) -> None:
        if cls.left == 0:
            raise StoreUnavailable("gone")
        cls.left -= 1

    async def set(self, document: Document) -> Document:
        self._count()
        return await SqliteStore.set(self, document)

    async def delete(self, key: str) -> None:
        self._count()
        await SqliteStore.delete(self, key)

    async def remove(self, items: object) -> tuple[int, ...]:
        self._count()
        return await SqliteStore.remove(self, items)  # type: ignore[arg-type]

    async def uncount(self, prefixes: Sequence[str]) -> int:
        self._count()
        return await SqliteStore.uncount(self, prefixes)


async def test_an_erasure_goes_on_after_a_crash_at_any_moment(lived, tmp_path: Path) -> None:
    whole, deaths = {}, 0
    while True:
        folder = Path(shutil.copytree(lived[0], tmp_path / str(deaths)))
        threads = ThreadShelf(dict(lived[1]))
        async with Dying.open(folder / "parley.db") as store:
            Dying.left = 1000
            conversations = await ConversationRepository.open(store)
            desk = PrivacyService(sources(store, folder, conversations, threads=threads))
            Dying.left, died = deaths, False
            try:
                report = await desk.erase(ACCOUNT)
            except StoreUnavailable:
                died, Dying.left = True, 1000
                # Whichever account is named: what led from one to the other may be gone already.
                report = await desk.erase(f"test:{OTHER.id}")
        assert traces(folder) == [], deaths
        if not died:
            whole = counts(report)
            break
        assert not report.unfinished
        shutil.rmtree(folder)
        deaths += 1
    assert deaths > 20
    assert whole[DataKind.MESSAGES] == 8


async def test_threads_that_cannot_be_deleted_are_found_again(folder: Path, threads: ThreadShelf) -> None:
    threads.error = AWAY
    async with opened(folder, threads) as desk:
        report = await desk.erase(ACCOUNT)
        assert report.unfinished
        assert any("agent server is away" in reason for reason in report.kept)
        assert not any("zebra" in trace for trace in traces(folder))
        threads.error = None
        again = await desk.erase(ACCOUNT)
    assert not again.unfinished
    assert again.begun > 0
    assert counts(again)[DataKind.THREADS] == 2
    assert counts(again)[DataKind.MESSAGES] == 8
    assert traces(folder) == []


async def test_a_turn_that_is_under_way_is_waited_for(tmp_path: Path) -> None:
    agent = ScriptedAgent(hanging)
    async with core(tmp_path, agent=agent, options=OPTIONS) as parley:
        await parley.say("a zebra", conversation=HOME, sender=ANN)
        await agent.until_asked()
        threads = ThreadShelf({})
        here = parley.services.conversations
        desk = PrivacyService(sources(parley.journal, tmp_path, here, threads=threads))
        with pytest.raises(PersonBusy, match="/stop"):
            await desk.erase(ACCOUNT)
        assert any("a zebra" in row for row in rows(tmp_path))
        patient = PrivacyService(sources(parley.journal, tmp_path, here, threads=threads, patience=30.0))
        erasing = asyncio.create_task(patient.erase(ACCOUNT))
        await parley.say("/stop", conversation=HOME, sender=ANN)
        assert counts(await erasing)[DataKind.MESSAGES] >= 1


async def test_words_in_a_group_go_and_those_of_others_stay(folder: Path, threads: ThreadShelf) -> None:
    async with opened(folder, threads) as desk:
        await desk.erase(ACCOUNT)
    async with SqliteStore.open(folder / "parley.db") as store:
        record, _ = await load_conversation(store, TEAM)
    assert (record.title, record.said) == ("", ("good morning",))
    assert record.voices == ((), ("test:bob",))
    assert record.last[0].text == "good morning"


@pytest.mark.parametrize(
    ("policy", "left"),
    [(AuditOnErase.KEEP, True), (AuditOnErase.ANONYMISE, True), (AuditOnErase.REMOVE, False)],
)
async def test_the_audit_record_is_treated_as_the_policy_says(
    folder: Path, threads: ThreadShelf, policy: AuditOnErase, left: bool
) -> None:
    async with opened(folder, threads, audit=policy) as desk:
        report = await desk.erase(ACCOUNT)
    async with SqliteStore.open(folder / "parley.db") as store:
        entries = [entry async for entry in audit.list_entries(store)]
    named = [entry for entry in entries if entry.who.endswith("4711")]
    erased = [entry for entry in entries if entry.who == "erased"]
    assert any(entry.who == "test:bob" for entry in entries)
    assert bool(named or erased) is left
    if policy is AuditOnErase.KEEP:
        assert any("audit_on_erase" in reason for reason in report.kept)
    else:
        assert named == []
        assert all((entry.prompt, entry.arguments, entry.text) == ("", "", "") for entry in erased)
        assert all(entry.action == "send_mail" for entry in erased)


async def test_memory_and_what_channels_keep_go_too(folder: Path, threads: ThreadShelf) -> None:
    memory = RecordingMemory()
    await memory.add(ACCOUNT, "likes zebras")
    await memory.add("test:bob", "likes tea")
    shelf = Shelf()
    async with opened(folder, threads, memory=memory, channels=[shelf]) as desk:
        report = await desk.erase(ACCOUNT)
    assert list(memory.held) == ["test:bob"]
    assert counts(report)[DataKind.FACTS] == 1
    assert counts(report)[DataKind.CHANNELS] == 2
    assert {user.id for user in shelf.erased} == {ANN.id, OTHER.id}


async def hanging(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    """Says nothing until it is stopped."""
    yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
    await agent.cancel_seen.wait()
    yield RunEnded(Outcome.CANCELLED, "")


class Shelf:
    """A channel that keeps one thing of everybody."""

    def __init__(self) -> None:
        self.erased: list[User] = []

    async def kept(self, user: User):
        yield ExportPiece(f"{user.id}.txt", b"kept")

    async def erase(self, user: User) -> int:
        self.erased.append(user)
        return 1


async def test_an_export_has_all_of_a_person_and_changes_nothing(
    folder: Path, threads: ThreadShelf, tmp_path: Path
) -> None:
    memory = RecordingMemory()
    await memory.add(ACCOUNT, "likes zebras")
    before = rows(folder)
    async with opened(folder, threads, memory=memory, channels=[Shelf()]) as desk:
        report = await desk.export(f"test:{OTHER.id}", tmp_path / "ann.zip")
    assert [row for row in rows(folder) if row not in before] == []
    with ZipFile(tmp_path / "ann.zip") as archive:
        texts = {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}
    messages = [json.loads(line) for line in texts["messages.jsonl"].splitlines()]
    said = [each["message"]["text"] for each in messages if "text" in each["message"]]
    assert said == ["a zebra", "/new", "ask for a zebra", "zebras first", "a zebra says yes"]
    assert any(each["turn"] and "you said a zebra" in each["turn"].get("text", "") for each in messages)
    assert "likes zebras" in texts["memory.json"]
    assert texts["channels/test/ann-4711.txt"] == "kept"
    assert len([name for name in texts if name.startswith("threads/")]) == 2
    assert len([name for name in texts if name.startswith("files/")]) == 1
    assert "send_mail" in texts["questions.jsonl"]
    kept = [json.loads(line) for line in texts["sent.jsonl"].splitlines()]
    assert [(each["conversation"], each["answer"]["text"]) for each in kept] == [
        (HOME.key, "a zebra has stripes"),
        (TEAM.key, "so do zebras"),
    ]
    assert "good morning" not in "".join(texts.values())
    assert f"test:{OTHER.id}" in texts["account.jsonl"]
    assert '"choice": "down"' in texts["account.jsonl"]
    used = [json.loads(line) for line in texts["usage.jsonl"].splitlines()]
    assert {each["count"].partition("/account/")[2] for each in used} == {"test:ann-4711/"}
    assert sum(each["usage"]["turns"] for each in used) == 3
    assert texts["receipt.txt"].splitlines() == list(report.lines("exported"))
    assert counts(report)[DataKind.MESSAGES] == 8


async def test_an_export_says_which_threads_are_missing(
    folder: Path, threads: ThreadShelf, tmp_path: Path
) -> None:
    threads.error = AWAY
    async with opened(folder, threads) as desk:
        report = await desk.export(ACCOUNT, tmp_path / "ann.zip")
    assert sum("agent server is away" in reason for reason in report.kept) == 2
