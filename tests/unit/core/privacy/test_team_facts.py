"""What a person told a team's memory is in their export, and goes with them."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

from parley.core.ports.memory.port import FactOrigin
from parley.core.privacy.report import DataKind
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRepository
from parley.core.state.team_chats import TeamChats
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
