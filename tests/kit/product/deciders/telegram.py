"""Somebody on the simulated Telegram."""

from __future__ import annotations

from collections.abc import Callable

from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from tests.kit.product.deciders.decider import Decider, Seen
from tests.kit.product.process import PATIENCE
from tests.kit.product.telegram_chat import is_stub, telegram_config


class OnTelegram(Decider):
    name = "telegram"

    def __init__(self, simulator: TelegramSimulator) -> None:
        self._simulator = simulator
        self.person = simulator.people.add_person("Ada").id

    def section(self) -> dict[str, object]:
        return telegram_config(self._simulator, burst_window=0.1)

    def say(self, text: str) -> None:
        self._simulator.people.say(self.person, self.person, text)

    def send_picture(self, name: str, picture: bytes, text: str) -> None:
        upload = TelegramUpload(name, picture, kind="photo")
        self._simulator.people.send_file(self.person, self.person, upload, text)

    def seen(self) -> list[Seen]:
        seen = [m for m in self._simulator.people.messages(self.person) if m.from_bot and not is_stub(m.text)]
        return [(str(m.id), m.text, tuple(label for row in m.buttons for label in row)) for m in seen]

    def press(self, message: str, label: str) -> None:
        self._simulator.people.press(self.person, self.person, int(message), label)

    def told(self) -> tuple[str, ...]:
        return self._simulator.people.told(self.person, self.person)

    def wait(self, condition: Callable[[], object]) -> None:
        self._simulator.people.wait(condition, PATIENCE)
