"""Somebody on the simulated Slack."""

from __future__ import annotations

from collections.abc import Callable

from parley.simulator.slack import SlackSimulator, SlackUpload
from tests.kit.product.deciders.decider import Decider, Seen
from tests.kit.product.process import PATIENCE


class OnSlack(Decider):
    name = "slack"

    def __init__(self, simulator: SlackSimulator) -> None:
        self._simulator = simulator
        self.person = simulator.people.add_person("Ada")
        self.place = self.person.dm

    def section(self) -> dict[str, object]:
        place = self._simulator
        tokens = {"bot_token": place.bot_token, "app_token": place.app_token}
        # Whatever a person says belongs to one conversation.
        return {**tokens, "api_url": place.api_url, "burst_window": 0.1, "direct": "one"}

    def say(self, text: str) -> None:
        self._simulator.people.say(self.person.dm, self.person.id, text)

    def send_picture(self, name: str, picture: bytes, text: str) -> None:
        upload = SlackUpload(name, picture, "image/png")
        self._simulator.people.send_files(self.person.dm, self.person.id, [upload], text)

    def seen(self) -> list[Seen]:
        seen = [m for m in self._simulator.people.messages(self.person.dm) if m.from_bot and not m.streaming]
        return [(m.ts, m.text, m.buttons) for m in seen]

    def press(self, message: str, label: str) -> None:
        self._simulator.people.press(self.person.dm, self.person.id, message, label)

    def change(self, message: str, arguments: str) -> None:
        people = self._simulator.people
        people.press(self.person.dm, self.person.id, message, "Edit…")
        self.wait(lambda: people.modal(self.person.id))
        people.submit(self.person.id, **{"Arguments (JSON)": arguments})

    def told(self) -> tuple[str, ...]:
        return self._simulator.people.told(self.person.dm, self.person.id)

    def wait(self, condition: Callable[[], object]) -> None:
        self._simulator.people.wait(condition, PATIENCE)
