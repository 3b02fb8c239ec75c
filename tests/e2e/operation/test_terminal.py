"""The command line beside a running Parley."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.kit.product.long_answers import far
from tests.kit.product.process import PATIENCE, command, environment, parley, printed
from tests.kit.product.scene import Scene

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def folder(scene: Scene) -> Path:
    """Where the terminal stands: beside the running Parley's configuration."""
    return scene.parley.folder


def test_a_question_through_a_pipe_prints_the_answer_only(folder: Path):
    answered = parley(folder, "chat", stdin="Count to 12\n")
    assert answered.returncode == 0, answered.stderr
    assert answered.stdout.endswith("10 11 12\n")
    assert answered.stderr == ""


def test_a_question_as_arguments_is_answered_as_it_grows_on_a_terminal(folder: Path):
    last = far(1.2)
    ours, theirs = pty.openpty()
    try:
        chat = subprocess.Popen(
            command("chat", "Count", "to", str(last)),
            cwd=folder,
            env=environment(),
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        pieces = list(printed(ours))
        assert chat.wait(PATIENCE) == 0
    finally:
        os.close(ours)
    assert b"".join(pieces).rstrip().endswith(f" {last - 1} {last}".encode())
    assert len(pieces) > 3


def test_threads_lists_the_conversations_of_a_running_parley(folder: Path, scene: Scene):
    alice = scene.private()
    alice.ask("Hello", "You said: Hello")
    listed = parley(folder, "threads")
    assert listed.returncode == 0, listed.stderr
    (row,) = [line for line in listed.stdout.splitlines() if f"telegram:{alice.chat}" in line]
    assert "Hello" in row
