"""Many changes at once: within the limits, and all or none of them wherever a kill comes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from parley.server.workspace.entries import WorkspaceFull, WorkspaceLimits
from parley.server.workspace.folder import UNFINISHED, WorkspaceFolder
from parley.server.workspace.paths import PathRefused
from parley.server.workspace.workspaces import Workspaces

THREAD = str(UUID(int=7))
LIMITS = WorkspaceLimits(size=1_000, files=8, file=400)
KILLED = """
import os, signal, sys
from pathlib import Path
from parley.server.workspace import batch
from parley.server.workspace.workspaces import Workspaces

left = int(sys.argv[2])

def dying(real):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call

folder = Workspaces(Path(sys.argv[1])).of(sys.argv[3])
for name in ("open", "mkdir", "rmdir", "unlink", "replace", "rename", "fsync", "write"):
    setattr(os, name, dying(getattr(os, name)))
batch._store = dying(batch._store)
if sys.argv[4:]:
    batch._change = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with folder.batch() as changes:
    changes.delete("/gone.txt")
    changes.delete("/old/x.txt")
    changes.delete("/old")
    changes.make_folder("/new")
    for at in range(4):
        changes.write(f"/new/{at}.txt", b"new")
    changes.write("/same.txt", b"new")
print("made")
"""


def killed(place: Path, at: int, *where: str) -> subprocess.CompletedProcess[str]:
    """Have a process make changes that dies at a call, or where it is said."""
    command = [sys.executable, "-c", KILLED, str(place), str(at), THREAD, *where]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> WorkspaceFolder:
    return filled(tmp_path, LIMITS)


def filled(place: Path, limits: WorkspaceLimits) -> WorkspaceFolder:
    made = Workspaces(place, limits).of(THREAD)
    for path in ("/gone.txt", "/old/x.txt", "/same.txt"):
        made.write(path, b"old")
    return made


def state(folder: WorkspaceFolder) -> dict[str, bytes]:
    return {each.path: b"" if each.is_folder else folder.read(each.path) for each in folder.walk()}


OLD = {"/gone.txt": b"old", "/old": b"", "/old/x.txt": b"old", "/same.txt": b"old"}
NEW = {"/new": b"", **{f"/new/{at}.txt": b"new" for at in range(4)}, "/same.txt": b"new"}


def test_changes_come_together_and_leave_nothing_aside(folder: WorkspaceFolder, tmp_path: Path) -> None:
    with folder.batch() as batch:
        batch.delete("/old")
        assert batch.deleted == [], "a folder that has something stays"
        for path in ("/gone.txt", "/old/x.txt", "/old", "/never.txt"):
            batch.delete(path)
        batch.make_folder("/new")
        for at in range(4):
            batch.write(f"/new/{at}.txt", b"new")
        batch.write("/same.txt", b"new")
        assert state(folder) == OLD, "nothing is changed before the end"
    assert state(folder) == NEW
    assert batch.refused == {}
    assert not list((tmp_path / THREAD / UNFINISHED).iterdir())


def test_an_error_in_the_middle_changes_nothing(folder: WorkspaceFolder, tmp_path: Path) -> None:
    def fails() -> None:
        with folder.batch() as batch:
            batch.delete("/gone.txt")
            batch.write("/same.txt", b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert state(folder) == OLD
    assert not list((tmp_path / THREAD / UNFINISHED).iterdir())


def test_the_limits_are_those_of_single_files(folder: WorkspaceFolder) -> None:
    with folder.batch() as batch:
        with pytest.raises(WorkspaceFull, match="400 bytes at most"):
            batch.write("/big", b"x" * 401)
        batch.write("/a", b"x" * 400)
        batch.write("/b", b"x" * 400)
        with pytest.raises(WorkspaceFull, match="no room for it"):
            batch.write("/c", b"x" * 200)
        batch.make_folder("/c")
        batch.make_folder("/d")
        with pytest.raises(WorkspaceFull, match="room for 8 files"):
            batch.make_folder("/f")
        with pytest.raises(PathRefused):
            batch.write("/../out", b"x")
    assert sum(1 for _ in folder.walk()) == 8


def test_what_cannot_be_put_there_is_told_and_the_rest_is(folder: WorkspaceFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder.root / "link").symlink_to(outside)
    with folder.batch() as batch:
        batch.write("/link/x", b"new")
        batch.write("/old", b"a file where a folder is")
        batch.write("/ok", b"new")
    assert set(batch.refused) == {"/link/x", "/old"}
    assert folder.read("/ok") == b"new"
    assert not list(outside.iterdir())
    assert not list((tmp_path / THREAD / UNFINISHED).iterdir())


def test_a_kill_anywhere_leaves_the_old_or_the_new_state(tmp_path: Path) -> None:
    seen, at = [], 0
    while True:
        place = tmp_path / str(at)
        filled(place, WorkspaceLimits())
        run = killed(place, at)
        if run.stdout.strip() == "made":
            break
        assert run.returncode == -signal.SIGKILL, run.stderr
        found = Workspaces(place).find(THREAD)
        assert found
        seen.append(state(found))
        assert seen[-1] in (OLD, NEW), f"killed at call {at}"
        assert not (place / THREAD / UNFINISHED / "changes.json").exists()
        at += 5  # There are about a hundred.
    assert OLD in seen
    assert NEW in seen
    assert state(Workspaces(place).of(THREAD)) == NEW


def test_what_was_under_way_is_made_before_what_lies_aside_is_cleared(tmp_path: Path) -> None:
    filled(tmp_path, WorkspaceLimits())
    run = killed(tmp_path, 1_000_000, "before the changes")
    assert run.returncode == -signal.SIGKILL
    spaces = Workspaces(tmp_path, keep=0)
    place = tmp_path / THREAD
    assert (place / UNFINISHED / "changes.json").exists()
    os.utime(place, (0, 0))
    spaces.expire(4_000_000_000.0)
    found = spaces.find(THREAD)
    assert found
    assert state(found) == NEW


def regular(text: str | bytes) -> Callable[[Path], object]:
    return lambda place: place.write_bytes(text.encode() if isinstance(text, str) else text)


def as_folder(place: Path) -> None:
    (place / "inner").mkdir(parents=True)


DAMAGED: dict[str, Callable[[Path], object]] = {
    "nothing": regular(""),
    "cut off": regular('{"deleted": ["/gone.txt"], "folders": ["/ne'),
    "no object": regular("[]"),
    "a key is missing": regular('{"deleted": [], "folders": []}'),
    "a text for a list": regular('{"deleted": "/gone.txt", "folders": [], "files": {}}'),
    "numbers for paths": regular('{"deleted": [7], "folders": [], "files": {}}'),
    "a list for the files": regular('{"deleted": [], "folders": [], "files": ["/a"]}'),
    "no name": regular('{"deleted": [], "folders": [], "files": {"/a": null}}'),
    "a name that leads out": regular('{"deleted": [], "folders": [], "files": {"/a": "../files/same.txt"}}'),
    "a NUL in a name": regular('{"deleted": [], "folders": [], "files": {"/a": "\\u0000"}}'),
    "a key that no file ends": regular(
        '{"deleted": [], "folders": [], "files": {"/a": "' + "a" * 32 + "\n" + '"}}'
    ),
    "deep": regular("[" * 100_000),
    "deep in a list": regular(
        '{"deleted": ' + "[" * 100_000 + "]" * 100_000 + ', "folders": [], "files": {}}'
    ),
    "NULs": regular(b"\0" * 4_096),
    "no UTF-8": regular(b'{"deleted": ["\xff"], "folders": [], "files": {}}'),
    "a number that is too long": regular('{"deleted": ' + "9" * 100_000 + ', "folders": [], "files": {}}'),
    "a folder": as_folder,
    "a link": lambda place: place.symlink_to(place.parent.parent / "files" / "same.txt"),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_list_is_set_aside_and_told_once(
    folder: WorkspaceFolder,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[Path], object],
) -> None:
    listed = tmp_path / THREAD / UNFINISHED / "changes.json"
    damage(listed)
    for _ in range(3):
        again = Workspaces(tmp_path, LIMITS).of(THREAD)
        assert state(again) == OLD
    (line,) = [record.getMessage() for record in caplog.records]
    (kept,) = (tmp_path / THREAD).glob("damaged-*")
    assert str(listed) in line
    assert str(kept) in line
    with again.batch() as batch:
        batch.write("/same.txt", b"new")
    assert again.read("/same.txt") == b"new"
    assert not list(listed.parent.iterdir())


def test_a_list_that_cannot_be_read_for_now_stays(
    folder: WorkspaceFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / THREAD / UNFINISHED / "changes.json"
    listed.write_text('{"deleted": ["/gone.txt"], "folders": [], "files": {}}')
    opened = os.open

    def out_of_descriptors(path: str, *args: int, dir_fd: int | None = None) -> int:
        if path == "changes.json":
            raise OSError(errno.EMFILE, "Too many open files")
        return opened(path, *args, dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", out_of_descriptors)
        with pytest.raises(PathRefused, match="Too many"):
            Workspaces(tmp_path, LIMITS).of(THREAD)
    assert not Workspaces(tmp_path, LIMITS).of(THREAD).has("/gone.txt")
