"""Conversations on the simulated Telegram."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from parley.simulator.telegram import SeenTelegramMessage, TelegramSimulator
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
from tests.kit.product.telegram_chat import is_stub, telegram_config

_WRITES = ("sendMessage", "editMessageText")


class TelegramConversation(SimulatedConversation):
    """A private chat, a group, or a topic of a forum."""

    def __init__(self, simulator: TelegramSimulator, line: Line, number: int, *, keyless: bool) -> None:
        super().__init__(line)
        self.keyless = keyless
        people = simulator.people
        person = people.add_person(f"Person{number}")
        self._simulator = simulator
        self._person, self._chat, self._topic = person.id, person.id, None
        self._ids: dict[int, str] = {}
        if line.kind.name != "private":
            forum = line.kind.name == "topic"
            self._chat = people.add_group(f"Group{number}", [person.id], forum=forum)
        if line.kind.name == "topic":
            self._topic = people.add_topic(self._chat, "Topic", person.id)

    def may_come_later(self, said: str) -> None:
        """Do nothing: one node polls, and gets updates in their order."""

    async def send(self, said: Said, board: ProgressBoard) -> None:
        """The platform keeps it until Parley has it."""
        private = self.line.kind.name == "private"
        text = said.text if private else f"@{self._simulator.username} {said.text}"
        self._ids[self._simulator.people.say(self._chat, self._person, text, topic=self._topic)] = said.id

    def look(self) -> list[Shown]:
        """What the bot has written, at once."""
        seen = self._simulator.people.messages(self._chat, self._topic)
        return with_words_of_files(
            [each for message in seen if message.from_bot for each in self._read(message)]
        )

    def _read(self, message: SeenTelegramMessage) -> Iterator[Shown]:
        """A text, or a file with its caption before it."""
        if message.text or not message.file:
            name = self._ids.get(message.reply_to or 0, "")
            yield self.read(name, message.text, growing=is_stub(message.text))
        if message.file:
            yield file_of(message.file, self._simulator.people.file(self._chat, message.id))


class FaultyTelegram(FaultyPlatform):
    """Telegram through polling: it keeps what nobody has fetched.

    With the agent apart messages are sent in one piece, without a key; else they are edited into stubs.
    """

    name = "telegram"

    def __init__(self, simulator: TelegramSimulator) -> None:
        super().__init__()
        self._simulator = simulator
        self._keyless = False

    @property
    def world(self) -> World:
        return self._simulator.world

    def section(self, *, apart: bool) -> Mapping[str, object]:
        self._keyless = apart
        delivery = "send" if apart else "edit"
        return telegram_config(self._simulator, burst_window=0, delivery=delivery)

    def place(self, line: Line, number: int) -> SimulatedConversation:
        return TelegramConversation(self._simulator, line, number, keyless=self._keyless)

    def causes(self) -> Mapping[Trouble, Callable[[], None]]:
        faults, full = self._simulator.faults, "Too Many Requests: retry after 1"
        return {
            "again": lambda: self._simulator.people.redeliver(5),
            "429": to_all(_WRITES, lambda name: faults.fail_next(name, 429, full, retry_after=1)),
            "500": to_all(_WRITES, lambda name: faults.fail_next(name, 500, times=2)),
            "cut before": to_all(_WRITES, faults.reset_next),
            "cut after": to_all((*_WRITES, "sendDocument"), lambda name: faults.reset_next(name, "after")),
            "garbled": to_all(_WRITES, faults.garble_next),
            "slow": to_all(_WRITES, lambda name: faults.slow_next(name, 1.0)),
            "drop": self._simulator.drop_poll,
            "outage": lambda: faults.outage(1.0),
        }
