"""Conversations on the simulated Feishu."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parley.simulator.feishu import SHOWING, FeishuSimulator, SeenFeishuMessage
from tests.chaos.accounting.ledger import Shown
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import Line, Said, Trouble
from tests.chaos.platforms.conversations import (
    FaultyPlatform,
    SimulatedConversation,
    World,
    file_of,
    with_words_of_files,
)

# A PUT whose connection breaks is made once more by the HTTP client itself.
_BREAKS = 2


class FeishuConversation(SimulatedConversation):
    """A chat with the bot, a group, or a topic in a group."""

    def __init__(self, simulator: FeishuSimulator, line: Line, number: int) -> None:
        super().__init__(line)
        people = simulator.people
        person = people.add_person(f"Person{number}")
        self._simulator = simulator
        self._person, self._chat, self._opening, self._mention = person.open_id, person.chat, "", ""
        self._ids: dict[str, str] = {}
        if line.kind.name != "private":
            self._chat = people.add_group(f"Group{number}", [person.open_id])
            self._mention = f"@{simulator.world.bot.name} "
        if line.kind.name == "topic":
            self._opening = people.say(self._chat, person.open_id, "A topic")

    async def send(self, said: Said, board: ProgressBoard) -> None:
        """The platform pushes it until it is acknowledged."""
        text, opening = f"{self._mention}{said.text}", self._opening
        number = self._simulator.people.say(
            self._chat, self._person, text, reply_to=opening, in_thread=bool(opening)
        )
        self._ids[number] = said.id

    def look(self) -> list[Shown]:
        """What the bot has written, at once."""
        seen = self._simulator.people.messages(self._chat)
        return with_words_of_files([self._read(message) for message in seen if message.from_bot])

    def _read(self, message: SeenFeishuMessage) -> Shown:
        if message.file:
            return file_of(message.file, self._simulator.people.file(message.id))
        return self.read(self._ids.get(message.parent, ""), message.text, growing=message.streaming)


class FaultyFeishu(FaultyPlatform):
    """Feishu through its long connection: an event comes again until it is acknowledged."""

    name = "feishu"

    def __init__(self, simulator: FeishuSimulator) -> None:
        super().__init__()
        self._simulator = simulator

    @property
    def world(self) -> World:
        return self._simulator.world

    def section(self, *, apart: bool) -> Mapping[str, object]:
        world = self._simulator.world
        app = {"app_id": world.app_id, "app_secret": world.secret, "domain": self._simulator.url}
        return app | {"burst_window": 0}

    def place(self, line: Line, number: int) -> SimulatedConversation:
        return FeishuConversation(self._simulator, line, number)

    def causes(self) -> Mapping[Trouble, Callable[[], None]]:
        faults = self._simulator.faults
        return {
            "again": lambda: self._simulator.people.redeliver(5),
            "backwards": self._backwards,
            "429": lambda: faults.limit_next(SHOWING, 1, times=2),
            "500": lambda: faults.refuse_next(SHOWING, 1500, "internal error", 502, times=3),
            "cut before": lambda: faults.reset_next(SHOWING, "before", _BREAKS),
            "cut after": lambda: faults.reset_next((*SHOWING, "file"), "after", _BREAKS),
            "garbled": lambda: faults.garble_next(SHOWING, times=2),
            "slow": lambda: faults.slow_next(SHOWING, 1.0, times=2),
            "drop": self._simulator.drop_connections,
            "outage": self._outage,
        }

    def forwards(self) -> None:
        self._simulator.faults.backwards = False

    def _backwards(self) -> None:
        self._simulator.faults.backwards = True
        # Only what waits together can change places.
        self._simulator.drop_connections()

    def _outage(self) -> None:
        self._simulator.faults.outage(1.0)
        self._simulator.drop_connections()
