"""People who are asked for a decision, on every platform."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from parley.core.model.questions import EDIT
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.checkout import ROOT
from tests.kit.product.process import PATIENCE
from tests.kit.product.telegram_chat import is_stub, telegram_config
from tests.kit.product.web_person import Entry, WebPerson

TEMPLATE = ROOT / "docs" / "dingtalk-card.json"
"""The card template that the documentation has people import."""
Seen = tuple[str, str, tuple[str, ...]]
"""A message of the bot: its id, its text, and the labels of its buttons."""


class Decider(ABC):
    """Somebody alone with the bot; `buttons` says that their platform has them."""

    name: str
    buttons = True
    person: Any
    """Who it is, as the simulator knows them."""

    @abstractmethod
    def section(self) -> dict[str, object]:
        """The channel's section of the configuration."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Write to the bot."""

    @abstractmethod
    def seen(self) -> list[Seen]:
        """The bot's whole messages, in order."""

    @abstractmethod
    def press(self, message: str, label: str) -> None:
        """Press a button."""

    def choose(self, message: str, label: str, number: int) -> None:
        """Take an option in the way that the platform has for it."""
        if self.buttons:
            self.press(message, label)
        else:
            self.say(str(number))

    def change(self, message: str, arguments: str) -> None:
        """Give other arguments: in words where the platform has no form for it."""
        self.say(f"edit {arguments}")

    @abstractmethod
    def told(self) -> tuple[str, ...]:
        """What popped up when they had pressed buttons."""

    @abstractmethod
    def wait(self, condition: Callable[[], object]) -> None:
        """Return when the condition holds. Raises TimeoutError."""

    def sees(self, words: str, after: int = 0) -> Seen:
        """Wait for a message with these words among those after the first `after`."""

        def found() -> list[Seen]:
            return [each for each in self.seen()[after:] if words in each[1]]

        try:
            self.wait(found)
        except TimeoutError as error:
            raise AssertionError(f"no {words!r} in {[text for _, text, _ in self.seen()]}") from error
        return found()[-1]


class OnTelegram(Decider):
    name = "telegram"

    def __init__(self, simulator: TelegramSimulator) -> None:
        self._simulator = simulator
        self.person = simulator.people.add_person("Ada").id

    def section(self) -> dict[str, object]:
        return telegram_config(self._simulator, burst_window=0.1)

    def say(self, text: str) -> None:
        self._simulator.people.say(self.person, self.person, text)

    def seen(self) -> list[Seen]:
        seen = [m for m in self._simulator.people.messages(self.person) if m.from_bot and not is_stub(m.text)]
        return [(str(m.id), m.text, tuple(label for row in m.buttons for label in row)) for m in seen]

    def press(self, message: str, label: str) -> None:
        self._simulator.people.press(self.person, self.person, int(message), label)

    def told(self) -> tuple[str, ...]:
        return self._simulator.people.told(self.person, self.person)

    def wait(self, condition: Callable[[], object]) -> None:
        self._simulator.people.wait(condition, PATIENCE)


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
