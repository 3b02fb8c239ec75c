"""`parley doctor` on a disk that is full, and on one that is read-only: real ones, in a mount namespace."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from parley.store.sqlite.database.connection import SqliteLocation, open_writer, prepare
from tests.kit.product.process import PATIENCE, command, environment
from tests.kit.small_disk import WARNING, namespace

NAMESPACE = namespace()

pytestmark = [
    pytest.mark.journeys,
    pytest.mark.timeout(120),
    pytest.mark.skipif(not NAMESPACE, reason=WARNING),
]

MOUNT = 'mount -t tmpfs -o size=2m parley "$0"; cp "$0.before/"* "$0"'
FULL = f'{MOUNT}; dd if=/dev/zero of="$0/ballast" bs=4096 2>&1; exec "$@"'
READ_ONLY = f'{MOUNT}; mount -o remount,ro "$0"; exec "$@"'


def examine(folder: Path, disk: str, *, kept: bool) -> dict[str, Any]:
    """What is found with `data_dir` on such a disk, where a database is `kept` already or not; by name."""
    data, before = folder / "data", folder / "data.before"
    for each in (data, before):
        each.mkdir(mode=0o700)
    (before / "note").write_text("what was there")
    if kept:
        location = SqliteLocation(before / "parley.db", 1.0, 0)
        prepare(location)
        open_writer(location).close()
    config = {"data_dir": str(data), "console": {"port": 0}, "memory": {"enabled": False}}
    (folder / "config.yaml").write_text(json.dumps(config))
    done = subprocess.run(
        [*NAMESPACE, "sh", "-c", disk, str(data), *command("doctor", "--json")],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert report["outcome"] == "findings"
    return {each["name"]: each for each in report["checks"]}


@pytest.mark.parametrize("kept", [False, True])
def test_a_full_disk_is_named_with_its_remedy(tmp_path: Path, *, kept: bool) -> None:
    found = examine(tmp_path, FULL, kept=kept)
    for name, words in (("machine.disk", "0 MB are free"), ("store.write", "the disk is full")):
        assert (found[name]["status"], found[name]["place"]) == ("failed", "data_dir")
        assert words in found[name]["text"]
        assert "make room" in found[name]["remedy"]


@pytest.mark.parametrize("kept", [False, True])
def test_a_read_only_data_folder_is_named_with_its_remedy(tmp_path: Path, *, kept: bool) -> None:
    found = examine(tmp_path, READ_ONLY, kept=kept)["store.write"]
    assert (found["status"], found["place"]) == ("failed", "data_dir")
    assert "the database is read-only" in found["text"]
    assert "let this user write to the file and its folder" in found["remedy"]
