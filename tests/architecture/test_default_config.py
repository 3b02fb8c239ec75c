"""`make lint` holds the committed config.yaml to the one that is installed, and reads no user's edits."""

import os
import shutil
import subprocess

import pytest

from tests.kit.checkout import ROOT
from tests.kit.machine import patience

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

OURS, INSTALLED = "config.yaml", "parley/app/settings/default.yaml"


def compared(folder):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        ["sh", ROOT / "scripts" / "config.sh"],
        cwd=folder,
        env=clean | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=patience(50),
    )


@pytest.fixture
def clone(tmp_path):
    """A clone with both files in its index."""
    (tmp_path / "parley" / "app" / "settings").mkdir(parents=True)
    for file in (OURS, INSTALLED):
        (tmp_path / file).write_text("language: auto\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", OURS, INSTALLED)
    return tmp_path


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True, timeout=patience(50))


def test_the_same_is_fine_whatever_a_user_wrote_since(clone):
    assert compared(clone).returncode == 0
    (clone / OURS).write_text("language: zh\nmy: {secret: 1}\n")
    looked = compared(clone)
    assert (looked.returncode, looked.stdout, looked.stderr) == (0, "", "")


@pytest.mark.parametrize("changed", [OURS, INSTALLED])
def test_a_difference_that_would_be_committed_is_shown(clone, changed):
    (clone / changed).write_text("language: en\n")
    git(clone, "add", changed)
    looked = compared(clone)
    assert looked.returncode == 1
    assert "config.yaml and parley/app/settings/default.yaml differ" in looked.stderr
    assert "language: en" in looked.stderr


def test_one_that_is_not_in_the_index_is_named(clone):
    git(clone, "rm", "--quiet", "--cached", INSTALLED)
    looked = compared(clone)
    assert looked.returncode == 1
    assert f"git add {INSTALLED}" in looked.stderr


def test_without_a_clone_there_is_nothing_to_compare(tmp_path):
    looked = compared(tmp_path)
    assert looked.returncode == 0
    assert "this is no clone" in looked.stdout
