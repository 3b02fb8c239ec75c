"""Files of the built-in agent's conversations: in the export of a person, and gone with their erasure."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest

from parley.app.composition.embedded.personal_data import WorkspaceFiles
from parley.core.model.errors import AgentUnavailable
from parley.core.privacy.report import DataKind, PrivacyReport
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRepository
from parley.server.workspace.workspaces import Workspaces
from parley.store.sqlite import SqliteStore
from tests.kit.samples.person_history import ThreadShelf, live, sources

ACCOUNT = "test:ann-4711"


def files(report: PrivacyReport) -> int:
    return next((count.number for count in report.done if count.kind is DataKind.FILES), 0)


@pytest.fixture
def lived(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder in which everything happened; each thread of the agent has files."""
    threads = asyncio.run(live(tmp_path))
    workspaces = Workspaces(tmp_path / "workspaces")
    for thread in (*threads, str(uuid4())):
        folder = workspaces.of(thread)
        folder.write("/uploads/offer.pdf", b"sent in " + thread.encode())
        folder.write("/report.md", b"written in " + thread.encode())
        (folder.root / "link").symlink_to("/etc/passwd")
    return tmp_path, threads


async def test_an_export_has_them_and_an_erasure_removes_them(lived: tuple[Path, dict[str, str]]) -> None:
    folder, before = lived
    threads, root = ThreadShelf(dict(before)), folder / "workspaces"
    async with SqliteStore.open(folder / "parley.db") as store:
        conversations = await ConversationRepository.open(store)
        known = sources(store, folder, conversations, threads=threads, thread_files=WorkspaceFiles(root))
        desk = PrivacyService(known)
        exported = await desk.export(ACCOUNT, folder / "ann.zip")
        with ZipFile(folder / "ann.zip") as archive:
            names = {name for name in archive.namelist() if name.startswith("workspaces/")}
            of = {name.split("/")[1] for name in names}
            assert len(names) == 2 * len(of)
            for thread in of:
                assert archive.read(f"workspaces/{thread}/report.md") == b"written in " + thread.encode()
                assert archive.read(f"workspaces/{thread}/uploads/offer.pdf").startswith(b"sent in ")
        assert of
        assert sum("1 file(s) of thread" in line for line in exported.kept) == len(of)
        others = {each.name for each in root.iterdir()} - of
        erased = await desk.erase(ACCOUNT)
    assert set(before) - set(threads.threads) == of  # theirs alone: the same threads went from the agent
    assert {each.name for each in root.iterdir()} == others
    assert files(erased) == 3 * len(of) + files(exported) - 2 * len(of)


async def test_they_go_also_while_the_agent_is_away(lived: tuple[Path, dict[str, str]]) -> None:
    folder, before = lived
    threads = ThreadShelf(dict(before), error=AgentUnavailable("The agent is away."))
    number = len(list((folder / "workspaces").iterdir()))
    async with SqliteStore.open(folder / "parley.db") as store:
        conversations = await ConversationRepository.open(store)
        kept = WorkspaceFiles(folder / "workspaces")
        desk = PrivacyService(sources(store, folder, conversations, threads=threads, thread_files=kept))
        assert (await desk.erase(ACCOUNT)).unfinished
    assert len(list((folder / "workspaces").iterdir())) < number


@pytest.mark.parametrize("thread", ["..", "../..", "no-uuid", "", "a/b"])
async def test_a_thread_whose_id_is_no_uuid_has_none(tmp_path: Path, thread: str) -> None:
    (tmp_path / "workspaces" / "files").mkdir(parents=True)
    kept = WorkspaceFiles(tmp_path / "workspaces")
    assert [piece async for piece in kept.pieces(thread)] == []
    assert await kept.erase(thread) == 0
    assert (tmp_path / "workspaces" / "files").is_dir()
