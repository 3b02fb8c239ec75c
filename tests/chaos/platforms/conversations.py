"""Places on simulated platforms, which outlive every Parley, and what such a platform can do wrong."""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Protocol

from tests.chaos.accounting.ledger import Shown, Told
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import FILE, ID, Line, Platform, Said, Trouble

BACKWARDS = 6.0
"""For how many seconds a platform hands things over in another order."""


class World(Protocol):
    """What all simulated platforms have in common."""

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener`, from whatever thread, after each change."""


class ChaosConversation(ABC):
    """One conversation, and what is known of its messages."""

    keyless = False

    def __init__(self, line: Line) -> None:
        self.line = line
        self.missed: set[str] = set()
        self.overtaken: set[str] = set()
        self.backwards = False
        self._spoken: set[str] = set()
        self._said = {said.id: said for said in line.said}

    async def say(self, said: Said, board: ProgressBoard) -> None:
        """Say it; returns when the platform has it."""
        self._spoken.add(said.id)
        if self.backwards:
            self.overtaken.add(said.id)
        await self.send(said, board)

    @abstractmethod
    async def send(self, said: Said, board: ProgressBoard) -> None:
        """The same, the platform's way."""

    def waits(self, answered: Collection[str]) -> bool:
        """Whether something that was said has no answer yet."""
        return not self._spoken.issubset(answered)

    def turn_round(self) -> None:
        """From now on, and for what is on its way, the order is the platform's whim."""
        self.backwards = True

    @abstractmethod
    def may_come_later(self, said: str) -> None:
        """Note that a message is said while a node takes none: it may be handed to that one first."""

    def turn_back(self) -> None:
        """The end of that."""
        self.backwards = False

    @abstractmethod
    async def shown(self) -> Sequence[Shown]:
        """What the bot has written, oldest first."""

    async def close(self) -> None:
        """Return when it is certain that nothing said here is still on its way to Parley: here, at once."""
        return

    async def told(self) -> Told:
        """All of it, for the account."""
        shown = await self.shown()
        return Told(self.line, shown, frozenset(self.missed), frozenset(self.overtaken), self.keyless)

    def read(self, name: str, text: str, *, growing: bool = False) -> Shown:
        """A text of the bot for the message `name` or, where that is "", for the one whose id is in it."""
        found = ID.search(text)
        name = name or (found[0] if found else "")
        said = self._said.get(name)
        whole = said is not None and not growing and bool(said.answer.search(text))
        return Shown(name, text, whole)


class SimulatedConversation(ChaosConversation):
    """One conversation on a simulated platform."""

    def turn_round(self) -> None:
        """The same, and what is on its way comes later."""
        super().turn_round()
        self.comes_later()

    def may_come_later(self, said: str) -> None:
        self.overtaken.add(said)

    def comes_later(self) -> None:
        """Note that the platform may hand over once more, later, what nobody acknowledged."""
        self.overtaken |= self._spoken - {each.answers for each in self.look() if each.whole}

    async def shown(self) -> Sequence[Shown]:
        """The same as `look`."""
        return self.look()

    @abstractmethod
    def look(self) -> list[Shown]:
        """What the bot has written, at once."""


class FaultyPlatform(ABC):
    """A platform on which people talk while it fails."""

    name: ClassVar[Platform]

    def __init__(self) -> None:
        self.places: list[SimulatedConversation] = []

    @property
    @abstractmethod
    def world(self) -> World:
        """Tells of changes."""

    @abstractmethod
    def section(self, *, apart: bool) -> Mapping[str, object]:
        """What an operator would write into `config.yaml`; the agent may be `apart`."""

    @abstractmethod
    def place(self, line: Line, number: int) -> SimulatedConversation:
        """A conversation for a line of the plan."""

    @abstractmethod
    def causes(self) -> Mapping[Trouble, Callable[[], None]]:
        """How each trouble is made; "backwards" begins with it and ends with `forwards`."""

    def forwards(self) -> None:
        """Hand over in order again, where that was ever otherwise."""
        return

    def cause(self, trouble: Trouble) -> None:
        """Let something go wrong."""
        if trouble == "backwards":
            for place in self.places:
                place.turn_round()
            asyncio.get_running_loop().call_later(BACKWARDS, self._in_order_again)
        elif trouble in ("drop", "outage"):
            self.cut_off()
        self.causes()[trouble]()

    def cut_off(self) -> None:
        """Note that somebody who was handed something may not have acknowledged it."""
        for place in self.places:
            place.comes_later()

    def open(self, line: Line, number: int) -> SimulatedConversation:
        """A new conversation."""
        place = self.place(line, number)
        self.places.append(place)
        return place

    def _in_order_again(self) -> None:
        self.forwards()
        for place in self.places:
            place.turn_back()

    async def watch(self, board: ProgressBoard) -> None:
        """Tell the board of answers as they appear, until cancelled."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(changed.set)

        self.world.subscribe(wake)
        while True:
            await changed.wait()
            changed.clear()
            for place in self.places:
                if place.waits(board.answered):
                    board.mark(shown.answers for shown in place.look() if shown.whole)
            # A growing answer changes the world many times a second; twenty looks are enough.
            await asyncio.sleep(0.05)


def file_of(name: str, content: bytes) -> Shown:
    """A file of the bot: its last line is what it was asked for."""
    if name.endswith(".zip"):
        # DingTalk takes no plain text.
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            content = packed.read(packed.namelist()[0])
    return Shown(ID.findall(content.decode().splitlines()[-1])[-1], name, whole=False, file=True)


def with_words_of_files(shown: Sequence[Shown]) -> list[Shown]:
    """Where only words tell what an answer is for: the words for a file are for what the next file is for."""
    found: list[Shown] = []
    following = ""
    for each in reversed(shown):
        if each.file:
            following = each.answers
        elif not each.answers and re.search(FILE, each.text):
            each = replace(each, answers=following, whole=bool(following))
        found.append(each)
    return found[::-1]


def to_all(methods: Sequence[str], happen: Callable[[str], object]) -> Callable[[], None]:
    """What happens to each of these calls."""

    def cause() -> None:
        for method in methods:
            happen(method)

    return cause
