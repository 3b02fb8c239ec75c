"""A thread's files stay in their folder, whatever a path or a program in it does."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import uuid4

import pytest

from parley.server.workspace.folder import WorkspaceFolder, WorkspaceFull, WorkspaceLimits
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.workspaces import DAY, Workspaces

LIMITS = WorkspaceLimits(size=1_000, files=6, file=600)


@pytest.fixture
def folder(tmp_path: Path) -> WorkspaceFolder:
    (tmp_path / "secret").write_text("of others")
    return Workspaces(tmp_path / "workspaces", LIMITS).of(str(uuid4()))


def test_a_file_is_written_whole_listed_read_and_deleted(folder: WorkspaceFolder) -> None:
    folder.write("/notes/a.txt", b"one")
    folder.write("notes/./a.txt", b"two")
    assert folder.read("/notes//a.txt") == b"two"
    assert [(each.path, each.is_folder) for each in folder.walk()] == [
        ("/notes", True),
        ("/notes/a.txt", False),
    ]
    folder.delete("/notes")
    assert folder.entries() == []


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "/a/../../secret",
        "",
        "/",
        "a\0b",
        "a\nb",
        "..\\secret",
        "x" * 201,
        "d/" * 21 + "f",
        "\ud800",
    ],
)
def test_a_path_that_is_none_is_refused(folder: WorkspaceFolder, path: str) -> None:
    for deed in (folder.read, folder.delete, lambda path: folder.write(path, b"x")):
        with pytest.raises(PathRefused):
            deed(path)


def test_what_is_no_plain_file_is_never_opened(folder: WorkspaceFolder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (folder.root / "link").symlink_to(secret)
    (folder.root / "up").symlink_to(tmp_path)
    os.link(secret, folder.root / "hard")
    os.mkfifo(folder.root / "pipe")
    (folder.root / "device").symlink_to("/dev/zero")
    for path in ("link", "up/secret", "hard", "pipe", "device", "up"):
        with pytest.raises(PathRefused):
            folder.read(path)
    with pytest.raises(PathRefused):
        folder.write("up/new", b"x")
    with pytest.raises(PathRefused):
        folder.entries("up")
    folder.delete("hard")  # There is room for another, now.
    folder.write("link", b"mine")
    assert folder.read("link") == b"mine"
    assert secret.read_text() == "of others"
    folder.delete("up")
    assert secret.exists()


def test_a_folder_that_is_swapped_for_a_link_leads_nowhere(folder: WorkspaceFolder, tmp_path: Path) -> None:
    folder.write("/a/secret", b"mine")
    (folder.root / "a").rename(folder.root / "b")
    (folder.root / "a").symlink_to(tmp_path)
    with pytest.raises(PathRefused):
        folder.read("/a/secret")
    with pytest.raises(PathRefused):
        folder.write("/a/secret", b"x")


def test_a_quota_of_bytes_and_of_files_holds(folder: WorkspaceFolder) -> None:
    with pytest.raises(WorkspaceFull, match="600 bytes at most"):
        folder.write("/a", b"x" * 601)
    folder.write("/a", b"x" * 600)
    with pytest.raises(WorkspaceFull, match="no room"):
        folder.write("/b", b"x" * 500)
    assert folder.room() == 400
    for number in range(5):
        folder.write(f"/{number}", b"")
    with pytest.raises(WorkspaceFull, match="room for 6 files"):
        folder.write("/6", b"")


def test_an_upload_takes_no_other_file_away_and_comes_once(folder: WorkspaceFolder) -> None:
    assert folder.add("/uploads", "a.txt", b"one") == "/uploads/a.txt"
    assert folder.add("/uploads", "a.txt", b"two") == "/uploads/a-2.txt"
    assert folder.add("/uploads", "a.txt", b"two") == "/uploads/a-2.txt"
    assert folder.add("/uploads", ".env", b"1") == "/uploads/.env"


def test_the_deepest_folder_is_deleted_and_no_file_outside(tmp_path: Path) -> None:
    spaces, thread = Workspaces(tmp_path / "workspaces"), str(uuid4())
    folder = spaces.of(thread)
    (folder.root / "link").symlink_to(tmp_path)
    here = os.open(folder.root, os.O_RDONLY)
    for _ in range(2_000):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.fchmod(here, 0)
    os.close(here)
    assert len(list(folder.walk())) == 21  # what lies deeper is not looked at
    (tmp_path / "secret").write_text("stays")
    spaces.delete(thread)
    spaces.delete(thread)
    assert [*spaces.root.iterdir()] == []
    assert (tmp_path / "secret").read_text() == "stays"


def test_what_nobody_uses_expires(tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path / "workspaces", keep=3 * DAY)
    used, unused = str(uuid4()), str(uuid4())
    for thread in (used, unused):
        spaces.of(thread).write("/a", b"x")
    now = time.time()
    os.utime(spaces.root / unused, (now, now - 4 * DAY))
    assert spaces.expire(now) == 1
    assert [each.name for each in spaces.root.iterdir()] == [used]
    assert spaces.root.stat().st_mode & 0o077 == 0


def test_only_a_thread_has_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="badly formed"):
        Workspaces(tmp_path).of("../elsewhere")
