"""Conversations on the simulated DingTalk, which hands over each message once, or never."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

from parley.simulator.dingtalk import DingTalkSimulator, SeenDingTalkMessage
from tests.chaos.accounting.ledger import Shown
from tests.chaos.accounting.progress import ProgressBoard, Stalled
from tests.chaos.planning.plan import Line, Said, Trouble, echo
from tests.chaos.platforms.conversations import (
    FaultyPlatform,
    SimulatedConversation,
    World,
    file_of,
    to_all,
    with_words_of_files,
)
from tests.kit.machine import patience

_WRITES = ("streaming", "createAndDeliver", "batchSend", "groupSend")
# A PUT whose connection breaks is made once more by the HTTP client itself.
_BREAKS = 2
_LOOK = 0.02
PATIENCE = patience(1.5)
"""Seconds after which somebody takes a message that nobody acknowledged for lost, and goes on."""
_END = 999
_END_PATIENCE = patience(90.0)


class DingTalkConversation(SimulatedConversation):
    """A chat with the robot, or a group."""

    def __init__(
        self, simulator: DingTalkSimulator, line: Line, number: int, *, keyless: bool, patience: float
    ) -> None:
        super().__init__(line)
        self.keyless = keyless
        self._patience = patience
        self._warned = False
        person = simulator.people.add_person(f"Person{number}")
        self._simulator = simulator
        self._person, self._chat, self._mention = person.id, person.id, ""
        self._last = echo(f"c{number:02}n{_END}", random.Random(number))
        if line.kind.name == "group":
            self._chat = simulator.people.add_group(f"Group{number}", [person.id])
            self._mention = f"@{simulator.name} "

    async def send(self, said: Said, board: ProgressBoard) -> None:
        """Who does not see it acknowledged goes on without an answer; one may come even so.

        Nobody goes on talking to a robot that is known to be away, or all would be said while it is.
        """
        while self._warned and not self._simulator.connections:  # noqa: ASYNC110 - of another thread
            await asyncio.sleep(_LOOK)
        self._warned = not await self._heard(said)
        if self._warned:
            self.missed.add(said.id)
            board.mark([said.id])

    async def close(self) -> None:
        """Say one thing more until it is answered: what came before it has been dealt with."""
        try:
            async with asyncio.timeout(_END_PATIENCE):
                # The robot lives in another thread.
                while not await self._heard(self._last):  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK)
                while not any(self._last.answer.search(each) for each in self._answers()):  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK)
        except TimeoutError as error:
            raise Stalled("DingTalk's robot does not answer any more") from error

    async def _heard(self, said: Said) -> bool:
        people = self._simulator.people
        number = people.say(self._chat, self._person, f"{self._mention}{said.text}")
        for _ in range(round(self._patience / _LOOK)):
            if people.heard(number):
                return True
            if number in people.lost():
                return False
            await asyncio.sleep(_LOOK)
        return False

    def _answers(self) -> tuple[str, ...]:
        return self._simulator.people.answers(self._chat)

    def look(self) -> list[Shown]:
        """What the robot has written, at once."""
        seen = self._simulator.people.messages(self._chat)
        shown = [self._read(message) for message in seen if message.from_robot]
        return [each for each in with_words_of_files(shown) if each.answers != self._last.id]

    def _read(self, message: SeenDingTalkMessage) -> Shown:
        if message.file:
            return file_of(message.file, self._simulator.people.file(self._chat, message.id))
        return self.read("", message.shown, growing=message.growing)


class FaultyDingTalk(FaultyPlatform):
    """DingTalk in Stream mode. With the agent apart there is no card template, so that texts have no key."""

    name = "dingtalk"

    def __init__(self, simulator: DingTalkSimulator, patience: float = PATIENCE) -> None:
        super().__init__()
        self._simulator = simulator
        self._patience = patience
        self._keyless = False

    @property
    def world(self) -> World:
        return self._simulator.world

    def section(self, *, apart: bool) -> Mapping[str, object]:
        self._keyless, ding = apart, self._simulator
        app = {"client_id": ding.client_id, "client_secret": ding.client_secret, "allowed_users": ["*"]}
        card = {} if apart else {"card_template_id": ding.template}
        return app | card | {"api_url": ding.url, "oapi_url": ding.url, "burst_window": 0}

    def place(self, line: Line, number: int) -> SimulatedConversation:
        return DingTalkConversation(
            self._simulator, line, number, keyless=self._keyless, patience=self._patience
        )

    def causes(self) -> Mapping[Trouble, Callable[[], None]]:
        faults = self._simulator.faults
        return {
            "again": lambda: self._simulator.people.redeliver(5),
            "backwards": lambda: faults.frames_next("reverse", 2),
            "429": to_all(_WRITES, lambda name: faults.fail_next(name, 403)),
            "500": to_all(_WRITES, lambda name: faults.fail_next(name, 503, times=2)),
            "cut before": to_all(_WRITES, lambda name: faults.reset_next(name, "before", _BREAKS)),
            "cut after": to_all(_WRITES, lambda name: faults.reset_next(name, "after", _BREAKS)),
            "garbled": to_all(_WRITES, faults.garble_next),
            "slow": to_all(_WRITES, lambda name: faults.slow_next(name, 1.0)),
            "drop": self._simulator.drop,
            "outage": self._outage,
        }

    def forwards(self) -> None:
        # One that waits for a second one follows with a copy of itself.
        if self._simulator.faults.left("reverse"):
            self._simulator.people.redeliver(1)

    def _outage(self) -> None:
        self._simulator.faults.outage(1.0)
        self._simulator.drop()
