"""Somebody on the simulated DingTalk."""

from __future__ import annotations

from collections.abc import Callable

from parley.simulator.dingtalk import DingTalkSimulator, DingTalkUpload
from tests.kit.checkout import ROOT
from tests.kit.product.deciders.decider import Decider, Seen
from tests.kit.product.process import PATIENCE

TEMPLATE = ROOT / "docs" / "dingtalk-card.json"
"""The card template that the documentation has people import."""


class OnDingTalk(Decider):
    """With `imported`, one template is for answers and questions: that of the documentation."""

    name = "dingtalk"

    def __init__(self, simulator: DingTalkSimulator, *, imported: bool = False) -> None:
        self._simulator = simulator
        self._imported = simulator.world.import_template(TEMPLATE.read_text("utf-8")) if imported else ""
        self.person = simulator.people.add_person("Ada")
        self.place = self.person.id

    def section(self) -> dict[str, object]:
        place = self._simulator
        app = {"client_id": place.client_id, "client_secret": place.client_secret}
        asking = place.question_template if self.buttons else ""
        templates = {
            "card_template_id": self._imported,
            "question_template_id": self._imported or asking,
        }
        return {**app, **templates, "api_url": place.url, "oapi_url": place.url, "burst_window": 0.1}

    def say(self, text: str) -> None:
        # DingTalk tells nobody later what nobody heard.
        self.wait(lambda: self._simulator.connections)
        self._simulator.people.say(self.person.id, self.person.id, text)

    def send_picture(self, name: str, picture: bytes, text: str) -> None:
        self.wait(lambda: self._simulator.connections)
        upload = DingTalkUpload(name, picture, "image/png")
        self._simulator.people.say_rich(self.person.id, self.person.id, [text, upload])

    def seen(self) -> list[Seen]:
        seen = self._simulator.people.messages(self.person.id)
        return [(m.id, m.shown, m.buttons) for m in seen if m.from_robot and not m.growing]

    def press(self, message: str, label: str) -> None:
        self.wait(lambda: self._simulator.connections)
        self._simulator.people.press(self.person.id, self.person.id, message, label)

    def told(self) -> tuple[str, ...]:
        return self._simulator.people.told(self.person.id, self.person.id)

    def wait(self, condition: Callable[[], object]) -> None:
        self._simulator.people.wait(condition, PATIENCE)


class OnDingTalkInWords(OnDingTalk):
    """Without a template for questions: people answer with a number."""

    buttons = False
