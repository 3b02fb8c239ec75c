"""An install that is killed leaves nothing half."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from parley.server.default_agent.skills.install import install_skill, remove_skill
from parley.server.default_agent.skills.library import installed_skills, load_skill
from parley.server.workspace.removal import LEFT_OVER
from tests.unit.server.default_agent.skills.archives import skill, zipped

NOW = 1_800_000_000.0
KILLED = """
import os, sys
from pathlib import Path
from parley.server.default_agent.skills import install

calls, stop = 0, int(sys.argv[3])
def counted(real):
    def call(*given, **more):
        global calls
        calls += 1
        if calls == stop:
            os.kill(os.getpid(), 9)
        return real(*given, **more)
    return call
os.fsync = counted(os.fsync)
Path.rename = counted(Path.rename)
Path.mkdir = counted(Path.mkdir)
install.install_skill(Path(sys.argv[1]), Path(sys.argv[2]), 1_800_000_000.0)
"""


def test_at_each_point_it_is_all_there_or_not_at_all(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "it.zip", skill())
    ended = []
    for stop in range(1, 30):
        root = tmp_path / str(stop)
        done = subprocess.run([sys.executable, "-c", KILLED, archive, root, str(stop)], check=False)
        names = installed_skills(root)
        ended.append((done.returncode, names))
        assert done.returncode in (0, -9)
        for name in names:
            load_skill(root, name)
            assert (root / name / "references/style.md").read_bytes() == b"Short sentences."
        if done.returncode == 0:
            break
        if not names:
            assert install_skill(archive, root, NOW).name == "report", "it can be done again"
    assert sorted({code for code, _ in ended}) == [-9, 0]
    assert (-9, []) in ended


def test_what_a_killed_one_left_goes_with_a_later_one(tmp_path: Path) -> None:
    root, archive = tmp_path / "skills", zipped(tmp_path / "it.zip", skill())
    install_skill(archive, root, NOW)
    left = root / ".unfinished/left/deep"
    left.mkdir(parents=True)
    now = left.parent.stat().st_ctime
    remove_skill("report", root, now + LEFT_OVER - 60)
    assert left.exists(), "somebody may still work on it"
    install_skill(archive, root, now + LEFT_OVER + 60)
    assert not left.parent.exists()
