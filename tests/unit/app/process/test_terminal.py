"""Text from outside moves no cursor and gives a terminal no order; a pipe gets it as it is."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.kit.checkout import ROOT
from tests.kit.product.process import printed

ORDERS = "\x1b]0;title\x07 \x1b[2J \x9b6n \u202ereversed \r over"
SAYS = "import sys; from parley.app.process.terminal import guard_terminals; guard_terminals(); "
TELLS = f"{SAYS}print({ORDERS!r}); print({ORDERS!r}, file=sys.stderr); print('two\\nlines\\t中文 ✓')"


def on_terminal(folder: Path, *command: str) -> str:
    """What a command writes where its output and errors are one terminal."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=theirs, stderr=theirs)
        os.close(theirs)
        pieces = b"".join(printed(ours))
        process.wait()
    finally:
        os.close(ours)
    return pieces.decode("utf-8").replace("\r\n", "\n")


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def test_a_terminal_is_shown_what_it_would_obey(tmp_path):
    shown = on_terminal(tmp_path, sys.executable, "-c", TELLS)
    told = r"\x1b]0;title\x07 \x1b[2J \x9b6n \u202ereversed \r over"
    assert sorted(shown.splitlines()) == sorted([told, told, "two", "lines\t中文 ✓"])


def test_a_pipe_gets_all_as_it_is(tmp_path):
    piped = subprocess.run(
        [sys.executable, "-c", TELLS], cwd=tmp_path, env=environment(), capture_output=True, check=True
    )
    assert piped.stderr.decode("utf-8") == f"{ORDERS}\n"
    assert piped.stdout.decode("utf-8") == f"{ORDERS}\ntwo\nlines\t中文 ✓\n"


def test_a_command_shows_what_it_repeats(tmp_path):
    shown = on_terminal(tmp_path, sys.executable, "-m", "parley", "check", "--config", "no\x1b[2J.yaml")
    assert r"no\x1b[2J.yaml" in shown
    assert "\x1b" not in shown
