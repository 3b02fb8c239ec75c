"""The examples of docs/python-client.md and examples/python_client run as they stand."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.documents import Block, blocks, documents
from tests.kit.product.process import PATIENCE, environment

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

PAGE = "docs/python-client.md"
EXAMPLES = [each for each in blocks(PAGE, documents()[PAGE]) if each.language == "python"]


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration as shipped, and one history for all examples."""
    folder = tmp_path_factory.mktemp("folder")
    shutil.copy(ROOT / "parley/app/settings/default.yaml", folder / "config.yaml")
    return folder


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: block.place)
def test_an_example_runs(block: Block, folder: Path) -> None:
    assert run(folder, "-c", "\n".join(block.lines)).strip()


def test_the_example_program_runs(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples/python_client/ask.py", tmp_path)
    (tmp_path / ".env").touch()
    said = run(tmp_path, "ask.py")
    assert "Asked: send_email" in said
    assert "All right, nothing was sent." in said
    assert "notes.md has" in said
    assert said.endswith("['Prefers tea']\n")
    assert (tmp_path / "data" / "parley.db").exists()
