"""Everything about one person, exported and erased: beside a running Parley, and without one."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.engine import CHOSEN
from tests.kit.machine import patience
from tests.kit.product.process import Process, parley
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson
from tests.kit.stored_text import file_texts, sqlite_rows

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]

ZEBRA = "the zebra's name is Quillon"


@dataclass(frozen=True)
class Scene:
    process: Process
    telegram: TelegramSimulator

    def somebody(self, name: str) -> Chat:
        person = self.telegram.people.add_person(name)
        return Chat(self.telegram, person.id, person.id)

    def person(self, what: str, who: str, *more: str) -> subprocess.CompletedProcess[str]:
        return parley(self.process.folder, "person", what, who, *more)

    def traces(self, *words: str) -> list[str]:
        """Rows of Parley's and of the agent's database, and files, that have any of these words."""
        folder = self.process.folder
        kept = (
            CHOSEN.engine().rows(folder),
            sqlite_rows(folder / "data" / "agent.db"),
            file_texts(folder / "data"),
        )
        return [text for text in chain(*kept) if any(word in text for word in words)]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with TelegramSimulator() as telegram:
        section = telegram_config(telegram)
        config = {"channels": {"telegram": section}, "memory": {"debounce_seconds": 0, "max_wait": 0}}
        process = begin(tmp_path_factory.mktemp("person"), config)
        try:
            process.wait_until_up()
            yield Scene(process, telegram)
        finally:
            end(process)


def receipt(path: Path) -> dict[str, int]:
    """The counts of a receipt."""
    lines = [line.split(maxsplit=1) for line in path.read_text("utf-8").splitlines()]
    return {line[1]: int(line[0]) for line in lines if len(line) == 2 and line[0].isdigit()}


def test_a_person_is_exported_and_erased_beside_a_running_parley(scene: Scene) -> None:
    zoe, max_ = scene.somebody("Zoe"), scene.somebody("Max")
    zoe.ask(f"remember: {ZEBRA}", "Quillon")
    zoe.ask("/new", "new conversation")
    zoe.ask(f"again, {ZEBRA}", "Quillon")
    zoe.ask("/memory add I keep a Quillon", "Quillon")
    max_.ask("I am Max and stay", "Max")
    account, folder = f"telegram:{zoe.person}", scene.process.folder

    exported = scene.person("export", account, "--to", "zoe.zip")
    assert exported.returncode == 0, exported.stderr
    with ZipFile(folder / "zoe.zip") as archive:
        names = archive.namelist()
        messages = [json.loads(line) for line in archive.read("messages.jsonl").splitlines()]
        memory = json.loads(archive.read("memory.json"))
        threads = "".join(archive.read(name).decode() for name in names if name.startswith("threads/"))
    assert any(ZEBRA in str(each["message"]) for each in messages)
    assert [fact["content"] for fact in memory["facts"]].count("I keep a Quillon") == 1
    assert threads.count(ZEBRA) >= 2
    assert "Max" not in threads
    assert "there already" in scene.person("export", account, "--to", "zoe.zip").stderr

    assert "--yes" in scene.person("erase", account).stderr
    assert scene.traces("Quillon")
    erased = scene.person("erase", account, "--yes", "--to", "receipt.txt")
    assert erased.returncode == 0, erased.stdout + erased.stderr
    counted = receipt(folder / "receipt.txt")
    assert counted["threads on the agent server"] == 2
    assert counted["remembered facts"] >= 1
    assert counted["messages and turns"] >= 4
    assert scene.traces("Quillon", "zebra") == []
    zoe.ask("What did I say first?", "nothing before this")
    max_.ask("What did I say first?", "I am Max and stay")


def test_the_page_and_its_person_are_erased(scene: Scene) -> None:
    page = WebPerson(scene.process.url)
    file = page.upload("notes.txt", b"Ottokar's notes", "text/plain")
    message = page.say("This is Ottokar's file", files=(file,))
    *_, last = page.replies(message)
    assert last["final"]
    assert scene.traces("Ottokar")
    assert scene.person("erase", "web:local", "--yes").returncode == 0
    assert scene.traces("Ottokar") == []
    assert page.entries() == []
    page.close()


def test_a_deleted_conversation_leaves_no_word_in_either_database(scene: Scene) -> None:
    page = WebPerson(scene.process.url)
    page.ask("I keep a Xiphias and a Narwal")
    assert scene.traces("Xiphias")
    page.delete()
    until = time.monotonic() + patience(60)
    while left := [row for row in scene.traces("Xiphias") if "memory" not in row]:
        assert time.monotonic() < until, left
        time.sleep(0.2)
    page.close()


def test_it_is_done_without_a_running_parley_too(scene: Scene) -> None:
    ida = scene.somebody("Ida")
    ida.ask("Popocatepetl is high", "Popocatepetl")
    account = f"telegram:{ida.person}"
    assert scene.process.terminate() == 0
    assert scene.person("export", account, "--to", "ida.zip").returncode == 0
    erased = scene.person("erase", account, "--yes")
    assert erased.returncode == 0, erased.stderr
    assert scene.traces("Popocatepetl") == []
    again = scene.person("erase", account, "--yes", "--to", "again.txt")
    assert again.returncode == 0
    assert set(receipt(scene.process.folder / "again.txt").values()) == {0}
    wrong = scene.person("erase", "Ida", "--yes")
    assert (wrong.returncode, "channel:id" in wrong.stderr) == (1, True)
    scene.process.start()
    ida.ask("What did I say first?", "nothing before this")
