"""Somebody on the simulated Feishu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from parley.simulator.feishu import FeishuSimulator, FeishuUpload
from tests.kit.product.deciders.decider import Decider, Seen
from tests.kit.product.process import PATIENCE


class OnFeishu(Decider):
    name = "feishu"

    def __init__(self, simulator: FeishuSimulator) -> None:
        self._simulator = simulator
        self.person = simulator.people.add_person("Ada")
        self.place = self.person.chat

    def section(self) -> dict[str, object]:
        world = self._simulator.world
        app = {"app_id": world.app_id, "app_secret": world.secret, "domain": self._simulator.url}
        return app | {"burst_window": 0.1}

    def say(self, text: str) -> None:
        self._simulator.people.say(self.person.chat, self.person.open_id, text)

    def send_picture(self, name: str, picture: bytes, text: str) -> None:
        upload = FeishuUpload(name, picture, "image")
        self._simulator.people.send_with_text(self.person.chat, self.person.open_id, [upload], text)

    def seen(self) -> list[Seen]:
        seen = [
            m for m in self._simulator.people.messages(self.person.chat) if m.from_bot and not m.streaming
        ]
        return [(m.id, m.text, m.buttons) for m in seen]

    def press(self, message: str, label: str, **written: str) -> None:
        # Where nobody listens yet, Feishu says so at once, and people press again.
        before = self._heard()
        while self._heard()[0] == before[0]:
            last = self._heard()
            self._simulator.people.press(self.person.chat, self.person.open_id, message, label, written)
            self.wait(partial(self._differs, last))

    def change(self, message: str, arguments: str) -> None:
        self.press(message, "✏️ Approve with these arguments", arguments=arguments)

    def _heard(self) -> tuple[int, int]:
        """How often they were told something, and how often a press failed."""
        people, here = self._simulator.people, (self.person.chat, self.person.open_id)
        return len(people.told(*here)), people.failures(*here)

    def _differs(self, last: tuple[int, int]) -> bool:
        return self._heard() != last

    def told(self) -> tuple[str, ...]:
        return self._simulator.people.told(self.person.chat, self.person.open_id)

    def wait(self, condition: Callable[[], object]) -> None:
        self._simulator.people.wait(condition, PATIENCE)
