"""A channel of another distribution keeps the promises like ours, also a second one by a `type:`."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import pytest

from parley.core.model.address import Conversation
from parley.core.ports.channel import Channel, ChannelServices
from tests.contract.driver import Driver, Person, Place, Shown, Traits, Trouble, Upload
from tests.contract.drivers.browser import code_in, rendered
from tests.contract.drivers.pace import eager
from tests.contract.harness.scene import scene
from tests.contract.promise import Promise
from tests.contract.promises import PROMISES
from tests.kit.checkout import ROOT

_THEIRS = ROOT / "tests" / "e2e" / "install" / "third_party_channel"
_LOOKS = 0.02
"""Seconds between two looks at the answers."""
_RUBBISH = (
    b"",
    b"null",
    b"[]",
    b"{",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"person": ""}',
    b'{"person": 1, "text": {}}',
)


class NotesDriver(Driver):
    """People who write into a file, each in a chat of their own, and read another."""

    name: ClassVar[str] = "notes"
    traits: ClassVar[Traits] = Traits(
        max_part=1_000_000, unit=len, albums=True, apps=True, doubles=False, dials=False
    )
    secrets = ("a file has no secrets",)

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._people = count(1)
        self._uploads = count(1)

    async def __aenter__(self) -> Self:
        # Two apps begin within one scene, each beside its own files.
        self._folder = tempfile.TemporaryDirectory(prefix="parley-notes-")
        self._questions, self._answers = self._path("questions.jsonl"), self._path("answers.jsonl")
        self._questions.touch()
        self._watching = asyncio.create_task(self._watch(), name="who reads the answers")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watching.cancel()
        self._folder.cleanup()

    def make_channel(self, services: ChannelServices) -> Channel:
        # It is found only while its tests run.
        config, channel = (import_module(f"parley_notes.{name}") for name in ("config", "channel"))
        section = config.Config(questions=str(self._questions), answers=str(self._answers))
        made: Channel = channel.create(section, services)
        return eager(made)

    async def unplug(self) -> None:
        """Leave the files as they are: nobody says farewell in them."""

    async def plug(self) -> None:
        self._answers_are(writable=True)

    async def private(self, name: str = "Ann") -> Place:
        person = f"{name.lower()}-{next(self._people)}"
        return Place(Conversation(self.name, person), Person(person, person), private=True)

    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        return self._write(place, text, [])

    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        sent = []
        for file in files:
            path = self._path(f"upload-{next(self._uploads)}")
            path.write_bytes(file.content)
            sent.append({"name": file.name, "path": str(path)})
        return self._write(place, text, sent)

    async def redeliver(self) -> None:
        """Have all lines read again: to whoever reads, the file is shorter for a moment."""
        whole = self._questions.read_bytes()
        self._questions.write_bytes(b"")
        await asyncio.sleep(_LOOKS)
        self._questions.write_bytes(whole)

    async def look(self, place: Place) -> list[Shown]:
        said = [
            Shown(line["line"], line["text"], by_bot=False)
            for line in self._said()
            if line["person"] == place.conversation.chat
        ]
        newest = {line["id"]: line for line in self._answered(place)}
        return said + [
            Shown(
                line["id"],
                rendered(line["text"]),
                by_bot=True,
                files=tuple(file["name"] for file in line["files"]),
                code=code_in(line["text"]),
                growing=not line["final"],
            )
            for line in newest.values()
        ]

    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        files = [file for line in self._answered(place) if line["id"] == shown.id for file in line["files"]]
        path = Path(next(file["path"] for file in files if file["name"] == name))
        return await asyncio.to_thread(path.read_bytes)

    def growth(self, place: Place) -> list[str]:
        return [rendered(line["text"]) for line in self._answered(place)]

    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        raise NotImplementedError("a file has no troubles of its own")

    def outage(self, seconds: float) -> None:
        self._answers_are(writable=False)
        asyncio.get_running_loop().call_later(seconds, lambda: self._answers_are(writable=True))

    def drop_connection(self) -> None:
        """Put another file of the same content into the place of the one that is read."""
        copy = self._path("questions.copy")
        copy.write_bytes(self._questions.read_bytes())
        copy.replace(self._questions)

    async def rubbish(self, place: Place) -> None:
        with self._questions.open("ab") as lines:
            lines.writelines(line + b"\n" for line in _RUBBISH)

    def _path(self, name: str) -> Path:
        return Path(self._folder.name) / name

    def _answers_are(self, *, writable: bool) -> None:
        """Have a folder stand where the file is, which nobody can write into as a file, or the file again."""
        aside = self._path("answers.aside")
        if writable and self._answers.is_dir():
            self._answers.rmdir()
            if aside.exists():
                aside.replace(self._answers)
        elif not writable:
            if self._answers.exists():
                self._answers.replace(aside)
            self._answers.mkdir()

    def _write(self, place: Place, text: str, files: list[dict[str, str]]) -> str:
        line = {"person": place.conversation.chat, "text": text, "files": files}
        with self._questions.open("a", encoding="utf-8") as lines:
            number = lines.tell()
            lines.write(json.dumps(line) + "\n")
        return str(number)

    def _said(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = []
        for line in self._questions.read_bytes().split(b"\n"):
            if line.startswith(b'{"person": "') and line not in _RUBBISH:
                found.append(json.loads(line) | {"line": str(len(found))})
        return found

    def _answered(self, place: Place) -> list[dict[str, Any]]:
        path = self._answers if self._answers.is_file() else self._path("answers.aside")
        lines = path.read_text("utf-8").split("\n")[:-1] if path.exists() else []
        return [line for line in map(json.loads, lines) if line["person"] == place.conversation.chat]

    async def _watch(self) -> None:
        seen = -1
        while True:
            size = self._answers.stat().st_size if self._answers.is_file() else -1
            if size != seen:
                seen = size
                self.news()
            await asyncio.sleep(_LOOKS)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(_THEIRS))


_ELSEWHERE = ("grows_in_a_group_too", "crash_while_growing_among_others")
"""They are about groups or topics, which a file has not."""
_HELD = [
    pytest.param(promise, id=promise.name)
    for promise in PROMISES.values()
    if promise.applies(NotesDriver.traits) and promise.name not in _ELSEWHERE
]


@pytest.mark.parametrize("promise", _HELD)
async def test_promise_of_another_distribution(promise: Promise, tmp_path: Path) -> None:
    async with scene(NotesDriver, tmp_path, setting=promise.setting) as stage:
        await promise.keep(stage)
