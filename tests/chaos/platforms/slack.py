"""Conversations on the simulated Slack."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parley.simulator.slack import SeenSlackMessage, SlackSimulator
from tests.chaos.accounting.ledger import Shown
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import Line, Said, Trouble
from tests.chaos.platforms.conversations import (
    FaultyPlatform,
    SimulatedConversation,
    World,
    file_of,
    to_all,
    with_words_of_files,
)

_WRITES = ("chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream")


class SlackConversation(SimulatedConversation):
    """A DM, a thread of a channel, or a thread of the assistant's panel."""

    def __init__(self, simulator: SlackSimulator, line: Line, number: int) -> None:
        super().__init__(line)
        people = simulator.people
        person = people.add_person(f"Person{number}")
        self._simulator = simulator
        self._person, self._chat, self._thread = person.id, person.dm, ""
        self._mention = ""
        if line.kind.name == "thread":
            self._thread = people.open_chat(person)
        if line.kind.name == "channel":
            self._chat = people.add_channel(f"team{number}", [person.id])
            self._thread = people.say(self._chat, person.id, "about something")
            self._mention = f"@{simulator.handle} "

    async def send(self, said: Said, board: ProgressBoard) -> None:
        """The platform sends it until it is acknowledged."""
        self._simulator.people.say(self._chat, self._person, f"{self._mention}{said.text}", self._thread)

    def look(self) -> list[Shown]:
        """What the app has written, at once."""
        seen = self._simulator.people.messages(self._chat, self._thread)
        ours = [each for each in seen if each.from_bot and each.ts != self._thread]
        return with_words_of_files([self._read(message) for message in ours])

    def _read(self, message: SeenSlackMessage) -> Shown:
        if message.files:
            name = message.files[0]
            return file_of(name, self._simulator.people.file(self._chat, message.ts, name))
        return self.read("", message.text, growing=message.streaming)


class FaultySlack(FaultyPlatform):
    """Slack through Socket Mode: an event comes again until it is acknowledged."""

    name = "slack"

    def __init__(self, simulator: SlackSimulator) -> None:
        super().__init__()
        self._simulator = simulator

    @property
    def world(self) -> World:
        return self._simulator.world

    def section(self, *, apart: bool) -> Mapping[str, object]:
        slack = self._simulator
        tokens = {"bot_token": slack.bot_token, "app_token": slack.app_token}
        # What is said outside threads is one conversation here, whose order is judged.
        return tokens | {"api_url": slack.api_url, "allowed_users": ["*"], "burst_window": 0, "direct": "one"}

    def place(self, line: Line, number: int) -> SimulatedConversation:
        return SlackConversation(self._simulator, line, number)

    def causes(self) -> Mapping[Trouble, Callable[[], None]]:
        faults, shares = self._simulator.faults, "files.completeUploadExternal"
        return {
            "again": lambda: self._simulator.people.redeliver(5),
            "backwards": self._backwards,
            "429": to_all(_WRITES, lambda name: faults.fail_next(name, "ratelimited", 429, 1)),
            "500": to_all(_WRITES, lambda name: faults.fail_next(name, "", 502, times=2)),
            "cut before": to_all(_WRITES, faults.reset_next),
            "cut after": to_all((*_WRITES, shares), lambda name: faults.reset_next(name, "after")),
            "garbled": to_all(_WRITES, faults.garble_next),
            "slow": to_all(_WRITES, lambda name: faults.slow_next(name, 1.0)),
            "drop": self._simulator.drop_connections,
            "outage": self._outage,
        }

    def forwards(self) -> None:
        self._simulator.faults.reorder = False

    def _backwards(self) -> None:
        self._simulator.faults.reorder = True
        # Only what waits together can change places.
        self._simulator.drop_connections()

    def _outage(self) -> None:
        self._simulator.faults.outage(1.0)
        self._simulator.drop_connections()
