"""What people see of the steps of a reply, on the page and on every platform."""

from __future__ import annotations

import io
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.deciders import Decider, OnDingTalk, OnFeishu, OnSlack, OnTelegram, OnWeb
from tests.kit.product.web_person import Entry, WebPerson

STATES = {"running": "⏳", "in_progress": "⏳", "done": "✓", "complete": "✓", "failed": "✗", "error": "✗"}
"""Signs that lines have, by what platforms call the states."""
PNG = b"\x89PNG"
"""How a picture of this kind begins."""
PICTURE = "sampleImageMsg"
"""What DingTalk calls a message that is one."""
SIGNS = ("⏳", "✓", "✗", "○")


Shown = tuple[str, str]
"""A step: a sign and its title, and what is done for it now, while it runs."""


class StepViewer(ABC):
    """Somebody who watches a reply of the bot grow; `decider` is the same person with hands.

    `keeps` says that the steps stay where the answer is.
    """

    decider: Decider
    keeps = False

    def section(self) -> dict[str, object]:
        """The channel's section of the configuration."""
        return self.decider.section()

    @abstractmethod
    def steps(self) -> list[Shown]:
        """The steps of the newest reply as they are shown now."""

    @abstractmethod
    def texts(self) -> list[str]:
        """The texts of the bot's messages, also of those that grow."""

    @abstractmethod
    def files(self) -> dict[str, bytes]:
        """The files that the bot has sent, without pictures."""

    @abstractmethod
    def pictures(self) -> list[bytes]:
        """What the chat shows as pictures."""

    def sees(self, *steps: Shown) -> None:
        """Return once these are the steps that are shown, in this order."""
        try:
            self.decider.wait(lambda: self.steps() == list(steps))
        except TimeoutError as error:
            raise AssertionError(f"{self.decider.name} shows {self.steps()}, not {steps}") from error

    def receives(self, files: Mapping[str, bytes], *pictures: bytes) -> None:
        """Return once these are the files and the pictures that the bot has sent."""
        try:
            self.decider.wait(lambda: (self.files(), self.pictures()) == (files, list(pictures)))
        except TimeoutError as error:
            raise AssertionError(f"{self.decider.name} has {self.files()}, {self.pictures()}") from error


def _lines(text: str) -> list[Shown]:
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith(SIGNS)]
    return [(title, now) for title, _, now in (line.partition(" · ") for line in lines)]


def _shown(status: str, title: str, output: str) -> Shown:
    sign = STATES.get(status, "○")
    return f"{sign} {title}", output.rpartition("\n")[2] if sign == "⏳" else ""


def _unpacked(archive: bytes) -> tuple[str, bytes]:
    """DingTalk takes few kinds of files: others come in an archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        (name,) = packed.namelist()
        return name, packed.read(name)


class TelegramViewer(StepViewer):
    def __init__(self, simulator: TelegramSimulator) -> None:
        self.decider = OnTelegram(simulator)
        self._people = simulator.people
        self._chat = self.decider.person

    def texts(self) -> list[str]:
        return [m.text for m in self._people.messages(self._chat) if m.from_bot]

    def steps(self) -> list[Shown]:
        drafts = [draft.text for draft in self._people.drafts(self._chat)]
        return _lines((drafts or self.texts() or [""])[-1])

    def files(self) -> dict[str, bytes]:
        seen = [m for m in self._people.messages(self._chat) if m.from_bot and m.file]
        return {m.file: self._people.file(self._chat, m.id) for m in seen if m.file_kind != "photo"}

    def pictures(self) -> list[bytes]:
        seen = [m for m in self._people.messages(self._chat) if m.from_bot and m.file_kind == "photo"]
        return [self._people.file(self._chat, m.id) for m in seen]


class SlackViewer(StepViewer):
    """Cards are shown where `direct` is threads: what is said outside of threads begins one then."""

    keeps = True

    def __init__(self, simulator: SlackSimulator, direct: str) -> None:
        self._direct = direct
        self.decider = OnSlack(simulator)
        self._people = simulator.people
        self._chat = self.decider.place

    def section(self) -> dict[str, object]:
        return {**self.decider.section(), "direct": self._direct}

    def texts(self) -> list[str]:
        return [m.text for m in self._people.messages(self._chat) if m.from_bot]

    def steps(self) -> list[Shown]:
        seen = [m for m in self._people.messages(self._chat) if m.from_bot]
        return [
            _shown(str(card["status"]), str(card["title"]), str(card.get("output", "")))
            for card in (seen[-1].cards if seen else ())
        ]

    def files(self) -> dict[str, bytes]:
        return {name: file for name, file in self._sent() if not file.startswith(PNG)}

    def pictures(self) -> list[bytes]:
        # Slack looks at what a file is.
        return [file for _, file in self._sent() if file.startswith(PNG)]

    def _sent(self) -> list[tuple[str, bytes]]:
        seen = [m for m in self._people.messages(self._chat) if m.from_bot]
        return [(name, self._people.file(self._chat, m.ts, name)) for m in seen for name in m.files]


class FeishuViewer(StepViewer):
    def __init__(self, simulator: FeishuSimulator) -> None:
        self.decider = OnFeishu(simulator)
        self._people = simulator.people
        self._chat = self.decider.place

    def texts(self) -> list[str]:
        return [m.text for m in self._people.messages(self._chat) if m.from_bot]

    def steps(self) -> list[Shown]:
        return _lines((self.texts() or [""])[-1])

    def files(self) -> dict[str, bytes]:
        seen = [m for m in self._people.messages(self._chat) if m.from_bot and m.file]
        return {m.file: self._people.file(m.id) for m in seen if m.kind != "image"}

    def pictures(self) -> list[bytes]:
        seen = [m for m in self._people.messages(self._chat) if m.from_bot and m.kind == "image"]
        return [self._people.file(m.id) for m in seen]


class DingTalkViewer(StepViewer):
    def __init__(self, simulator: DingTalkSimulator, *, imported: bool = False) -> None:
        self.decider = OnDingTalk(simulator, imported=imported)
        self._people = simulator.people
        self._chat = self.decider.place

    def texts(self) -> list[str]:
        return [m.shown for m in self._people.messages(self._chat) if m.from_robot]

    def steps(self) -> list[Shown]:
        return _lines((self.texts() or [""])[-1])

    def files(self) -> dict[str, bytes]:
        seen = [m for m in self._people.messages(self._chat) if m.from_robot and m.file]
        sent = [(m.file, self._people.file(self._chat, m.id)) for m in seen if m.kind != PICTURE]
        return dict(_unpacked(file) if name.endswith(".zip") else (name, file) for name, file in sent)

    def pictures(self) -> list[bytes]:
        seen = [m for m in self._people.messages(self._chat) if m.from_robot and m.kind == PICTURE]
        return [self._people.file(self._chat, m.id) for m in seen]


class WebViewer(StepViewer):
    keeps = True

    def __init__(self, url: str) -> None:
        self.decider = OnWeb(url)
        self._web: WebPerson = self.decider.web
        self.close = self.decider.close

    def texts(self) -> list[str]:
        return [each["text"] for each in self._replies()]

    def steps(self) -> list[Shown]:
        return [_shown(step["status"], step["title"], step["output"]) for step in self._newest()["steps"]]

    def _replies(self) -> list[Entry]:
        return [each for each in self._web.entries() if each["role"] == "agent"]

    def _newest(self) -> Entry:
        return (self._replies() or [{"steps": []}])[-1]

    def files(self) -> dict[str, bytes]:
        return {each["name"]: self._web.download(each["id"]) for each in self._sent(pictures=False)}

    def pictures(self) -> list[bytes]:
        return [self._web.download(each["id"]) for each in self._sent(pictures=True)]

    def _sent(self, *, pictures: bool) -> list[Entry]:
        sent = [file for entry in self._replies() for file in entry["files"]]
        return [file for file in sent if file["mime"].startswith("image/") is pictures]
