"""`parley chat` through a pipe while the agent server is away: it says so, and ends as shells expect."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from tests.kit.product.process import PATIENCE, command, environment, write_config
from tests.kit.waiting import until

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

AWAY = "parley: The agent does not answer yet; it is tried again."
BEHIND = "An earlier message of this conversation waits for it"


class Chat:
    """A chat that is under way, and what it has printed."""

    def __init__(self, folder: Path, text: str) -> None:
        self.out, self.errors = folder / f"{text}.out", folder / f"{text}.err"
        with self.out.open("wb") as out, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command("chat"),
                cwd=folder,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=errors,
            )
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.close()

    def says(self, words: str) -> None:
        asyncio.run(until(lambda: words in self.errors.read_text("utf-8"), f"it says {words!r}", 40.0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    agent = {"url": f"http://127.0.0.1:{free_port()}", "notify_after": 0.3}
    write_config(tmp_path, {"agent": agent, "console": {"port": free_port()}})
    return tmp_path


@pytest.fixture
def chat(folder: Path) -> Iterator[Chat]:
    chat = Chat(folder, "first")
    yield chat
    chat.process.kill()
    chat.process.wait()


def test_it_says_that_the_agent_is_away_and_ctrl_c_stops_it(chat: Chat) -> None:
    chat.says(AWAY)
    chat.process.send_signal(signal.SIGINT)
    assert chat.process.wait(PATIENCE) == 130
    assert chat.out.read_text("utf-8") == "⏹ Stopped.\n"
    assert "Traceback" not in chat.errors.read_text("utf-8")


def test_it_says_so_too_where_an_earlier_message_waits(folder: Path, chat: Chat) -> None:
    chat.says(AWAY)
    chat.process.kill()
    chat.process.wait()
    second = Chat(folder, "second")
    try:
        second.says(BEHIND)
        assert second.out.read_text("utf-8") == ""
    finally:
        second.process.kill()
        second.process.wait()


def test_without_an_answer_it_fails(folder: Path) -> None:
    agent = {"url": f"http://127.0.0.1:{free_port()}", "notify_after": 0.3, "give_up_after": 1}
    write_config(folder, {"agent": agent, "console": {"port": free_port()}})
    chat = Chat(folder, "third")
    assert chat.process.wait(PATIENCE) == 1
    assert chat.out.read_text("utf-8").startswith("The agent could not be reached")
