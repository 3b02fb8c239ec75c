"""Past conversations of a person: in their export, and gone when they are erased."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

from parley.core.model.address import Conversation, User, account_key
from parley.core.model.types import CompletedTurn
from parley.core.privacy.report import DataKind
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRepository
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.samples.person_history import ThreadShelf, rows, sources

ANN, BOB = User("test", "ann-4711"), User("test", "bob")


def turn(user: User, number: int, said: str) -> CompletedTurn:
    place = Conversation("test", f"chat of {user.id}")
    person = account_key(user)
    return CompletedTurn(
        f"turn{number}",
        person,
        user,
        place,
        "thread",
        "agent",
        "en",
        said,
        "Noted.",
        time.time(),
        private=True,
    )


async def test_past_conversations_are_exported_and_erased(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        files = FileMemoryStore(tmp_path / "memory")
        memory = MemoryService(files, store, RuleExtractor(), MemoryOptions())
        for number, (user, said) in enumerate([(ANN, "a zebra"), (ANN, "two zebras"), (BOB, "a heron")]):
            for document in await memory.past_turns.documents_of(turn(user, number, said)):
                await store.set(document)
        found = sources(
            store, tmp_path, await ConversationRepository.open(store), threads=ThreadShelf({}), memory=memory
        )
        people = PrivacyService(replace(found, past_turns=memory.past_turns))

        exported = await people.export("test:ann-4711", tmp_path / "ann.zip")
        with ZipFile(tmp_path / "ann.zip") as archive:
            lines = archive.read("past_conversations.jsonl").decode().splitlines()
        assert [json.loads(line)["said"] for line in lines] == ["a zebra", "two zebras"]

        erased = await people.erase("test:ann-4711")
        for report in (exported, erased):
            counts = {count.kind: count.number for count in report.done}
            assert counts[DataKind.PAST_TURNS] == 2
        assert [one.said async for one in memory.past_turns.list("test:bob")] == ["a heron"]
    assert not [row for row in rows(tmp_path) if "zebra" in row]
