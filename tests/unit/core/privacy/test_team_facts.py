"""What a person told a team's memory is in their export, and goes with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

from parley.core.ports.memory.port import FactOrigin, MemoryView
from parley.core.privacy.report import DataKind
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRepository
from parley.core.state.team_chats import TeamChats
from parley.core.state.team_speakers import index_team_speakers
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import RecordingMemory
from tests.kit.samples.person_history import ThreadShelf, sources

TEAM = "team/test:room"


async def test_it_is_exported_and_erased(tmp_path: Path) -> None:
    memory = RecordingMemory()
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await TeamChats(store).switch(TEAM, on=True)
        for account, text in (("test:ann", "The release is on Friday"), ("test:bob", "Lunch is at noon")):
            await memory.add(TEAM, text, account, FactOrigin("test:room"))
        conversations = await ConversationRepository.open(store)
        desk = PrivacyService(
            sources(
                store,
                tmp_path,
                conversations,
                threads=ThreadShelf({}),
                memory=memory,
                memory_controls=memory,
            )
        )
        await desk.export("test:ann", tmp_path / "ann.zip")
        with ZipFile(tmp_path / "ann.zip") as archive:
            told = archive.read("team_memory.jsonl").decode()
        assert "Friday" in told
        assert "noon" not in told
        report = await desk.erase("test:ann")
        assert {count.kind: count.number for count in report.done}[DataKind.TEAM_FACTS] == 1
        assert [fact.content for fact in memory.held[TEAM]] == ["Lunch is at noon"]


class CountedMemory(RecordingMemory):
    """Notes whose memories are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def overview(self, person: str) -> MemoryView:
        self.read.append(person)
        return await super().overview(person)

    async def withdraw(self, team: str, accounts: Sequence[str]) -> int:
        self.read.append(team)
        return await super().withdraw(team, accounts)


async def _desk(store: SqliteStore, folder: Path, memory: CountedMemory) -> PrivacyService:
    known = sources(
        store,
        folder,
        await ConversationRepository.open(store),
        threads=ThreadShelf({}),
        memory=memory,
        memory_controls=memory,
    )
    return PrivacyService(known)


async def test_only_memories_are_read_for_which_the_person_spoke(tmp_path: Path) -> None:
    memory, others = CountedMemory(), [f"team/test:room-{number}" for number in range(50)]
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        teams, desk = TeamChats(store), await _desk(store, tmp_path, memory)
        for team in (*others, TEAM):  # as an older Parley wrote them
            await teams.switch(team, on=True)
            await memory.add(team, "Lunch is at noon", "test:bob", FactOrigin("test:room"))
        await memory.add(TEAM, "The release is on Friday", "test:ann/1", FactOrigin("test:room"))
        assert len(await teams.teams_of(["test:ann/1"])) == 51  # not known yet: all are looked at
        await index_team_speakers(teams, memory, lambda: 1_000.0)
        new = "team/test:another"
        await teams.switch(new, on=True)
        await teams.note_speaker(new, "test:ann/1")
        await memory.add(new, "Ann was here", "test:ann/1", FactOrigin("test:another"))
        memory.read.clear()
        await desk.export("test:ann/1", tmp_path / "ann.zip")
        report = await desk.erase("test:ann/1")
        assert {count.kind: count.number for count in report.done}[DataKind.TEAM_FACTS] == 2
        assert set(memory.read) - {"test:ann/1"} == {TEAM, new}
        assert await teams.teams_of(["test:ann/1"]) == await teams.teams_of(["test:ann"]) == []
        assert not [key for key in _keys(tmp_path) if "ann" in key]
        assert len(await teams.teams_of(["test:bob"])) == 51


async def test_memories_are_looked_through_again_for_a_day(tmp_path: Path) -> None:
    """A node of an older Parley may have run beside the first that looked."""
    memory = CountedMemory()
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        teams = TeamChats(store)
        await teams.switch(TEAM, on=True)
        await index_team_speakers(teams, memory, lambda: 1_000.0)
        await memory.add(TEAM, "Lunch is at noon", "test:bob", FactOrigin("test:room"))
        await index_team_speakers(teams, memory, lambda: 80_000.0)
        assert await teams.teams_of(["test:bob"]) == [TEAM]
        memory.read.clear()
        await index_team_speakers(teams, memory, lambda: 90_000.0)
        assert memory.read == []


def _keys(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "parley.db")) as connection:
        return [key for (key,) in connection.execute("SELECT key FROM documents")]
