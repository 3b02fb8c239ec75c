"""Conversations on the simulated Telegram, which outlives every Parley."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from simulator.telegram import SeenMessage, TelegramSimulator
from tests.chaos.board import Board
from tests.chaos.ledger import Shown
from tests.chaos.plan import ID, Line, Said
from tests.e2e.telegram import is_stub


class TelegramPlace:
    """One conversation: a private chat, a group, or a topic of a forum."""

    def __init__(self, simulator: TelegramSimulator, line: Line, number: int) -> None:
        people = simulator.people
        person = people.add_person(f"Person{number}")
        self.line = line
        self._simulator = simulator
        self._person, self._chat, self._topic = person.id, person.id, None
        self._said = {said.id: said for said in line.said}
        self._ids: dict[int, str] = {}
        if line.kind != "private":
            self._chat = people.add_group(f"Group{number}", [person.id], forum=line.kind == "topic")
        if line.kind == "topic":
            self._topic = people.add_topic(self._chat, "Topic", person.id)

    async def send(self, said: Said) -> None:
        """Say it; the platform keeps it until Parley has it."""
        text = said.text if self.line.kind == "private" else f"@{self._simulator.username} {said.text}"
        self._ids[self._simulator.people.say(self._chat, self._person, text, topic=self._topic)] = said.id

    async def shown(self) -> Sequence[Shown]:
        """What the bot has written."""
        return self.look()

    def look(self) -> list[Shown]:
        """The same, at once."""
        seen = self._simulator.people.messages(self._chat, self._topic)
        return [self._read(message) for message in seen if message.from_bot]

    def _read(self, message: SeenMessage) -> Shown:
        if message.file:
            lines = self._simulator.people.file(self._chat, message.id).decode().splitlines()
            return Shown(ID.findall(lines[-1])[-1], message.file, whole=False, file=True)
        name = self._ids.get(message.reply_to or 0, "")
        if not name:
            found = ID.search(message.text)
            name = found[0] if found else ""
        said = self._said.get(name)
        whole = said is not None and bool(said.answer.search(message.text)) and not is_stub(message.text)
        return Shown(name, message.text, whole)


async def watch(simulator: TelegramSimulator, places: Sequence[TelegramPlace], board: Board) -> None:
    """Tell the board of answers as they appear, until cancelled."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    simulator.world.subscribe(lambda: loop.call_soon_threadsafe(changed.set))
    while True:
        await changed.wait()
        changed.clear()
        for place in places:
            board.mark(shown.answers for shown in place.look() if shown.whole)
        # A growing answer changes the world many times a second; twenty looks are enough.
        await asyncio.sleep(0.05)
