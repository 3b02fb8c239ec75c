"""A backup of a Parley that is hard at work, brought back elsewhere after its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from tests.kit.engine import CHOSEN, Sqlite
from tests.kit.product.long_answers import far
from tests.kit.product.process import Process, parley, write_config
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

_CROWD = 8
_NOTE = b"# Groceries\n\nTea, bread, and a pear.\n"


@pytest.fixture(autouse=True)
def _on_files() -> None:
    if not isinstance(CHOSEN.engine(), Sqlite):
        pytest.skip(
            "a database on a server is backed up by its own tools: tests/postgres/product/test_backup.py"
        )


@pytest.fixture
def telegram() -> Iterator[TelegramSimulator]:
    with TelegramSimulator() as simulator:
        yield simulator


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def started(stack: ExitStack, folder: Path, config: dict[str, object]) -> Process:
    process = begin(folder, config)
    stack.callback(end, process)
    process.wait_until_up()
    return process


def page(stack: ExitStack, process: Process, chat: str) -> WebPerson:
    """Somebody who has the page open at a conversation."""
    return stack.enter_context(closing(WebPerson(process.url, chat=f"conversation-{chat}")))


def settings(telegram: TelegramSimulator) -> dict[str, object]:
    return {
        "console": {"port": free_port()},
        "memory": {"debounce_seconds": 0.3, "max_wait": 2},
        "channels": {"telegram": telegram_config(telegram)},
    }


def folder_in(place: Path, config: dict[str, object]) -> Path:
    place.mkdir()
    write_config(place, config)
    return place


def knows(ada: Chat, what: str) -> None:
    """Ask until it was learned: that comes a little after the answer."""
    for _ in range(60):
        if what in ada.ask("/memory", "/memory show").text:
            return
    raise AssertionError(f"{what!r} was not learned")


@dataclass(frozen=True)
class Cut:
    """A backup, and what was under way in a conversation: a reply that counts to `last`, and a message that
    waits.
    """

    backup: Path
    last: int
    chat: str
    growing: str
    reply: str
    waiting: str


def backed_up_while_it_answers(stack: ExitStack, process: Process, folder: Path) -> Cut:
    """Back up while an answer grows: once more, with a longer one, where it ended before the backup."""
    for number in range(10):
        chat, backup, last = f"busy-{number}", folder / f"backup-{number}", far(1.8 * (number + 1))
        busy = page(stack, process, chat)
        growing = busy.say(f"Count to {last}")
        first = next(entry for entry in busy.replies(growing) if "4 5 6" in entry["text"])
        waiting = busy.say("And what about me?")
        copied = parley(process.folder, "backup", str(backup))
        assert copied.returncode == 0, copied.stderr
        if [each["final"] for each in busy.entries() if each["role"] == "agent"] == [False]:
            return Cut(backup, last, chat, growing, first["id"], waiting)
    raise AssertionError("every answer ended before its backup")


def test_what_was_backed_up_in_the_midst_of_work_goes_on_elsewhere(
    tmp_path: Path, telegram: TelegramSimulator, stack: ExitStack
) -> None:
    config = settings(telegram)
    old = started(stack, folder_in(tmp_path / "old", config), config)
    person = telegram.people.add_person("Ada")
    ada = Chat(telegram, person.id, person.id)
    ada.ask("I live in Rome. I prefer tea over coffee.", "You said: I live in Rome")
    knows(ada, "lives in Rome")
    blocked = telegram.people.add_person("Eve")
    telegram.people.remove_bot(blocked.id)
    Chat(telegram, blocked.id, blocked.id).say("Are you there?")
    talk = page(stack, old, "talk")
    file = talk.upload("groceries.md", _NOTE, "text/markdown")
    talk.ask("My cat is called Mia", files=(file,))
    (notes,) = talk.ask("Make a file of it").final["files"]

    crowd = [page(stack, old, f"crowd-{number}") for number in range(_CROWD)]
    counts = [each.say(f"Count to {far(6)}") for each in crowd]
    cut = backed_up_while_it_answers(stack, old, tmp_path)
    old.kill()

    new_folder = folder_in(tmp_path / "new", config)
    restored = parley(new_folder, "restore", str(cut.backup))
    assert restored.returncode == 0, restored.stderr
    new = started(stack, new_folder, config)
    assert new.url == old.url  # the address that people have goes on working

    busy = page(stack, new, cut.chat)
    *_, whole = busy.replies(cut.growing)
    assert whole["id"] == cut.reply
    assert whole["text"].endswith(f" {cut.last - 1} {cut.last}")
    *_, answer = busy.replies(cut.waiting)
    assert answer["text"].endswith("You said: And what about me?")
    said = [(entry["role"], entry.get("reply_to")) for entry in busy.entries()]
    assert [reply for role, reply in said if role == "agent"] == [cut.growing, cut.waiting]
    for number, message in enumerate(counts):
        each = page(stack, new, f"crowd-{number}")
        *_, final = each.replies(message)
        assert final["text"].endswith(f" {far(6)}")
        assert [entry["role"] for entry in each.entries()] == ["user", "agent"]

    talk = page(stack, new, "talk")
    assert "My cat is called Mia" in talk.ask("What did I say first?").text
    assert b"- My cat is called Mia" in talk.download(notes["id"])
    assert talk.download(file) == _NOTE
    assert "Rome" in ada.ask("What do you know about me?", "I was told this about you").text
    (letter,) = map(json.loads, parley(new_folder, "letters", "list", "--json").stdout.splitlines())
    assert letter["person"] == f"telegram:{blocked.id}"


def test_while_parley_runs_nothing_is_brought_back_into_it(
    tmp_path: Path, telegram: TelegramSimulator, stack: ExitStack
) -> None:
    config = settings(telegram)
    process = started(stack, folder_in(tmp_path / "here", config), config)
    person = page(stack, process, "here")
    person.ask("My cat is called Mia")
    assert parley(process.folder, "backup", "copy").returncode == 0
    refused = parley(process.folder, "restore", "copy", "--replace")
    assert refused.returncode == 1
    assert "A Parley works on this data: stop it first" in refused.stderr
    assert "Mia" in person.ask("What did I say first?").text
    assert process.terminate() == 0
    replaced = parley(process.folder, "restore", "copy", "--replace")
    assert replaced.returncode == 0, replaced.stderr
    process.start()
    again = page(stack, process, "here")
    assert [entry["role"] for entry in again.entries()] == ["user", "agent"]
    assert "Mia" in again.ask("What did I say first?").text
