"""A thread's files stay in their folder, whatever a path or a program in it does."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from parley.server.workspace.entries import WorkspaceFull, WorkspaceLimits
from parley.server.workspace.folder import WorkspaceFolder
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


def test_two_uploads_of_one_name_at_once_are_two_files(tmp_path: Path) -> None:
    folder = Workspaces(tmp_path / "workspaces").of(str(uuid4()))
    for turn in range(20):
        together = threading.Barrier(4)

        def add(content: bytes, turn: int = turn, together: threading.Barrier = together) -> str:
            together.wait()
            return folder.add("/uploads", f"{turn}.txt", content)

        with ThreadPoolExecutor(4) as threads:
            paths = list(threads.map(add, (b"one", b"two", b"three", b"four")))
        assert len(set(paths)) == 4
        assert [folder.read(path) for path in paths] == [b"one", b"two", b"three", b"four"]


def test_an_upload_of_a_long_name_is_numbered_within_what_a_name_may_have(folder: WorkspaceFolder) -> None:
    name = "\N{CJK UNIFIED IDEOGRAPH-6587}" * 65 + ".txt"  # 199 bytes
    paths = [folder.add("/uploads", name, content) for content in (b"one", b"two")]
    assert [folder.read(path) for path in paths] == [b"one", b"two"]
    assert all(path.endswith(".txt") for path in paths)


def test_what_a_kill_left_of_a_removal_or_of_a_file_goes(tmp_path: Path) -> None:
    """The process was ended between two steps; what is under way now is left alone."""
    spaces = Workspaces(tmp_path / "workspaces", keep=0)
    folder = spaces.of(str(uuid4()))
    folder.write("/kept", b"x")
    aside = folder.root.with_name("unfinished")
    (aside / "0123").write_bytes(b"half")
    (aside / "removed-1" / "deep").mkdir(parents=True)
    (spaces.root / "removed-2" / "files").mkdir(parents=True)
    spaces.expire(time.time())
    assert (len(list(aside.iterdir())), len(list(spaces.root.iterdir()))) == (2, 2)
    spaces.expire(time.time() + 2 * 3_600)
    assert [*aside.iterdir()] == []
    assert [*spaces.root.iterdir()] == [folder.root.parent]
    assert folder.read("/kept") == b"x"


def test_a_removal_that_a_kill_cuts_off_shows_nothing_of_itself(
    folder: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("/a/b/c", b"x")

    class KilledError(BaseException):
        """Ends it where kill -9 could."""

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    monkeypatch.setattr(os, "rmdir", killed)
    with pytest.raises(KilledError):
        folder.delete("/a")
    assert folder.entries() == []


def test_a_folder_that_becomes_a_link_during_its_removal_opens_nothing_outside(
    folder: WorkspaceFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of the conversation works in it at the same time."""
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    (folder.root / "a").mkdir()
    (folder.root / "a" / "b").mkdir()
    scandir = os.scandir

    def swapped(place: int) -> object:
        found = scandir(place)
        inner = folder.root / "a" / "b"
        here = Path(f"/proc/self/fd/{place}")
        if (here / "b").is_dir() and not inner.is_symlink():
            entries = list(found)
            (here / "b").rmdir()
            (here / "b").symlink_to(outside)
            return _Listed(entries)
        return found

    monkeypatch.setattr(os, "scandir", swapped)
    with suppress(OSError):
        folder.delete("/a")
    assert outside.stat().st_mode & 0o777 == 0o500


class _Listed(list[os.DirEntry[str]]):
    def __enter__(self) -> _Listed:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def test_what_no_thread_has_goes_after_a_day(tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path / "workspaces", keep=0)
    known, unknown, young = (str(uuid4()) for _ in range(3))
    for thread in (known, unknown, young):
        spaces.of(thread).write("/a", b"x")
    now = time.time()
    for thread in (known, unknown):
        os.utime(spaces.root / thread, (now, now - 2 * DAY))
    assert set(spaces.older(now - DAY)) == {known, unknown}


def test_only_a_thread_has_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="badly formed"):
        Workspaces(tmp_path).of("../elsewhere")
