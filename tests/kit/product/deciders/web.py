"""Somebody at the page."""

from __future__ import annotations

import time
from collections.abc import Callable

from parley.core.model.questions import EDIT
from tests.kit.product.deciders.decider import Decider, Seen
from tests.kit.product.process import PATIENCE
from tests.kit.product.web_person import Entry, WebPerson


class OnWeb(Decider):
    name = "web"

    def __init__(self, url: str) -> None:
        self.web = WebPerson(url)
        self._told: list[str] = []

    def close(self) -> None:
        """They leave the page."""
        self.web.close()

    def section(self) -> dict[str, object]:
        return {"name": "Ada", "burst_window": 0.1}

    def say(self, text: str) -> None:
        self.web.say(text)

    def send_picture(self, name: str, picture: bytes, text: str) -> None:
        self.web.say(text, files=(self.web.upload(name, picture, "image/png"),))

    def seen(self) -> list[Seen]:
        entries = [each for each in self.web.entries() if each["role"] == "agent" and each["final"]]
        return [(each["id"], each["text"], tuple(_labels(each))) for each in entries]

    def press(self, message: str, label: str) -> None:
        if label in self._entry(message)["suggestions"]:
            self.web.say(label)
            return
        question = self._question(message)
        option = next(each["id"] for each in question["options"] if each["label"] == label)
        self._told.append(self.web.decide(question["id"], option))

    def change(self, message: str, arguments: str) -> None:
        self._told.append(self.web.decide(self._question(message)["id"], EDIT, arguments))

    def told(self) -> tuple[str, ...]:
        return tuple(self._told)

    def wait(self, condition: Callable[[], object]) -> None:
        # The page's API is asked, where simulators tell.
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("the page did not get there in time")
            time.sleep(0.05)

    def _question(self, message: str) -> Entry:
        return dict(self._entry(message)["question"])

    def _entry(self, message: str) -> Entry:
        (found,) = (each for each in self.web.entries() if each["id"] == message)
        return found


def _labels(entry: Entry) -> list[str]:
    options = [each["label"] for each in (entry["question"] or {"options": ()})["options"]]
    return [*options, *entry["suggestions"]]
