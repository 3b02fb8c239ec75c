"""The people's side of each platform, as the same few things everywhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from parley.simulator.dingtalk import DingTalkSimulator, DingTalkUpload
from parley.simulator.feishu import FeishuSimulator, FeishuUpload
from parley.simulator.slack import SlackSimulator, SlackUpload
from parley.simulator.telegram import TelegramSimulator, TelegramUpload
from tests.kit.machine import patience

_PATIENCE = patience(20.0)


class Side(ABC):
    """A person talking to the bot alone. `settings` is what the bot is told, `wrong` gets it refused."""

    settings: Mapping[str, str]
    wrong: Mapping[str, str]
    refusal: str
    """Words of the platform's refusal, as the SDK hands them on."""
    hands_back: bool = True
    """Whether the platform keeps what is said while no bot is there."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Write to the bot."""

    @abstractmethod
    def send(self, name: str, content: bytes) -> None:
        """Send the bot a file."""

    @abstractmethod
    def answers(self) -> list[str]:
        """What the bot wrote, oldest first."""

    @abstractmethod
    def files(self) -> list[tuple[str, bytes]]:
        """What files the bot sent, oldest first."""

    @abstractmethod
    def there(self) -> bool:
        """Whether the bot is connected."""

    @abstractmethod
    def drop(self) -> None:
        """Cut its connection without a word."""

    @abstractmethod
    def unconfirmed(self) -> int:
        """How many messages the bot has not acknowledged yet."""

    @abstractmethod
    def wait(self, true: Callable[[], object]) -> None:
        """Block until it is so. Raises TimeoutError."""


class SlackSide(Side):
    refusal = "invalid_auth"

    def __init__(self, sim: SlackSimulator) -> None:
        self._sim, self._ann = sim, sim.people.add_person("Ann")
        tokens = {"bot_token": sim.bot_token, "app_token": sim.app_token}
        self.settings = tokens | {"api_url": sim.api_url}
        self.wrong = {"app_token": "xapp-1-wrong"}

    def say(self, text: str) -> None:
        self._sim.people.say(self._ann.dm, self._ann.id, text)

    def send(self, name: str, content: bytes) -> None:
        self._sim.people.send_files(self._ann.dm, self._ann.id, [SlackUpload(name, content)])

    def answers(self) -> list[str]:
        return [text for text in self._sim.people.answers(self._ann.dm) if text]

    def files(self) -> list[tuple[str, bytes]]:
        people, chat = self._sim.people, self._ann.dm
        seen = [message for message in people.messages(chat) if message.from_bot]
        return [(name, people.file(chat, each.ts, name)) for each in seen for name in each.files]

    def there(self) -> bool:
        return self._sim.connections > 0

    def drop(self) -> None:
        self._sim.drop_connections()

    def unconfirmed(self) -> int:
        return self._sim.people.unacknowledged()

    def wait(self, true: Callable[[], object]) -> None:
        self._sim.people.wait(true, _PATIENCE)


class TelegramSide(Side):
    refusal = "Unauthorized"

    def __init__(self, sim: TelegramSimulator) -> None:
        self._sim, self._ann = sim, sim.people.add_person("Ann").id
        self.settings = {"bot_token": sim.token, "api_url": sim.api_url}
        self.wrong = {"bot_token": "100200300:some-other-token-of-nobody"}

    def say(self, text: str) -> None:
        self._sim.people.say(self._ann, self._ann, text)

    def send(self, name: str, content: bytes) -> None:
        self._sim.people.send_file(self._ann, self._ann, TelegramUpload(name, content))

    def answers(self) -> list[str]:
        return [text for text in self._sim.people.answers(self._ann) if text]

    def files(self) -> list[tuple[str, bytes]]:
        people = self._sim.people
        seen = [message for message in people.messages(self._ann) if message.from_bot and message.file]
        return [(each.file, people.file(self._ann, each.id)) for each in seen]

    def there(self) -> bool:
        return self._sim.is_polled

    def drop(self) -> None:
        self._sim.drop_poll()

    def unconfirmed(self) -> int:
        return self._sim.people.unconfirmed()

    def wait(self, true: Callable[[], object]) -> None:
        self._sim.people.wait(true, _PATIENCE)


class FeishuSide(Side):
    refusal = "app_secret is invalid"

    def __init__(self, sim: FeishuSimulator) -> None:
        self._sim, self._ann = sim, sim.people.add_person("Ann")
        self.settings = {"app_id": sim.world.app_id, "app_secret": sim.world.secret, "url": sim.url}
        self.wrong = {"app_secret": "another"}

    def say(self, text: str) -> None:
        self._sim.people.say(self._ann.chat, self._ann.open_id, text)

    def send(self, name: str, content: bytes) -> None:
        self._sim.people.send_file(self._ann.chat, self._ann.open_id, FeishuUpload(name, content))

    def answers(self) -> list[str]:
        return [text for text in self._sim.people.answers(self._ann.chat) if text]

    def files(self) -> list[tuple[str, bytes]]:
        people = self._sim.people
        seen = [message for message in people.messages(self._ann.chat) if message.from_bot and message.file]
        return [(each.file, people.file(each.id)) for each in seen]

    def there(self) -> bool:
        return self._sim.connections > 0

    def drop(self) -> None:
        self._sim.drop_connections()

    def unconfirmed(self) -> int:
        return self._sim.people.unacknowledged()

    def wait(self, true: Callable[[], object]) -> None:
        self._sim.people.wait(true, _PATIENCE)


class DingTalkSide(Side):
    refusal = "401"
    hands_back = False

    def __init__(self, sim: DingTalkSimulator) -> None:
        self._sim, self._ann = sim, sim.people.add_person("Ann").id
        self._said: list[str] = []
        app = {"client_id": sim.client_id, "client_secret": sim.client_secret}
        self.settings = app | {"url": sim.url, "template": sim.template}
        self.wrong = {"client_secret": "another"}

    def say(self, text: str) -> None:
        self._said.append(self._sim.people.say(self._ann, self._ann, text))

    def send(self, name: str, content: bytes) -> None:
        self._said.append(self._sim.people.send_file(self._ann, self._ann, DingTalkUpload(name, content)))

    def answers(self) -> list[str]:
        return [text for text in self._sim.people.answers(self._ann) if text]

    def files(self) -> list[tuple[str, bytes]]:
        people = self._sim.people
        seen = [message for message in people.messages(self._ann) if message.from_robot and message.file]
        return [(each.file, people.file(self._ann, each.id)) for each in seen]

    def there(self) -> bool:
        return self._sim.connections > 0

    def drop(self) -> None:
        self._sim.drop()

    def unconfirmed(self) -> int:
        return sum(not self._sim.people.heard(number) for number in self._said)

    def wait(self, true: Callable[[], object]) -> None:
        self._sim.people.wait(true, _PATIENCE)


@contextmanager
def side(name: str) -> Iterator[Side]:
    """The platform, running, seen by one person."""
    match name:
        case "slack":
            with SlackSimulator() as slack:
                yield SlackSide(slack)
        case "telegram":
            with TelegramSimulator() as telegram:
                yield TelegramSide(telegram)
        case "feishu":
            with FeishuSimulator() as feishu:
                yield FeishuSide(feishu)
        case _:
            with DingTalkSimulator() as dingtalk:
                yield DingTalkSide(dingtalk)
