"""What a model says while it thinks: a step of the page, a line on Telegram, and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from benchmarks.kit.free_ports import free_port
from parley import Client
from parley.simulator.telegram import TelegramSimulator
from tests.e2e.chat.thinking_graph import THOUGHT
from tests.kit.product.process import PATIENCE, Process, split
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

GRAPH = Path(__file__).with_name("thinking_graph.py")


@pytest.fixture
def telegram() -> Iterator[TelegramSimulator]:
    with TelegramSimulator() as simulator:
        yield simulator


@contextmanager
def running(folder: Path, telegram: TelegramSimulator, **agent: bool) -> Iterator[Process]:
    copy(GRAPH, folder)
    config = {
        "console": {"port": free_port()},
        "agent": {"graphs": {"agent": f"{GRAPH.name}:graph"}, **agent},
        "channels": {"telegram": telegram_config(telegram)},
        "memory": {"debounce_seconds": 0.2},
    }
    process = Process(folder, config)
    try:
        process.start()
        process.wait_until_ready()
        yield process
    finally:
        process.kill()


def thoughts(entry: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["title"], step["output"]) for step in entry["steps"]]


def until_learned(client: Client) -> str:
    """Return all that is known once there is something: learning comes a little after the answer."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if facts := client.memory.get()["facts"]:
            return " ".join(fact["content"] for fact in facts)
        time.sleep(0.05)
    raise AssertionError("nothing was learned")


def test_thoughts_are_shown_while_they_last_and_remembered_by_nobody(
    telegram: TelegramSimulator, tmp_path: Path
) -> None:
    ada = telegram.people.add_person("Ada").id
    chat = Chat(telegram, ada, ada)
    with running(tmp_path, telegram, thoughts=True) as parley:
        page = WebPerson(parley.url)
        replies = page.replies(page.say("hello"))
        shown = next(entry for entry in replies if thoughts(entry) == [("Thinking", THOUGHT)])
        assert (shown["text"], shown["final"]) == ("", False)
        asked = chat.say("hello")
        chat.draws(f"Thinking · {THOUGHT}")

        (tmp_path / "go").touch()
        final = list(replies)[-1]
        assert (final["text"], thoughts(final)) == ("1 messages", [("Thinking", THOUGHT)])
        assert chat.sees("1 messages", after=asked).text == "1 messages"

        page.ask("I live in Oslo")
        with Client(url=split(parley.url)[0], token=split(parley.url)[1], timeout=PATIENCE) as client:
            known = until_learned(client)
        assert "Oslo" in known
        assert "pizza" not in known
        page.close()


def test_without_the_setting_nobody_reads_them(telegram: TelegramSimulator, tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with running(tmp_path, telegram) as parley:
        page = WebPerson(parley.url)
        heard = page.ask("hello")
        page.close()
    assert heard.text == "1 messages"
    assert thoughts(heard.final) == [("Thinking", "")]
    assert all(THOUGHT[:6] not in str(entry) for entry in heard.snapshots)
