"""Slack: the real channel, on slack-bolt, against the simulated Web API and Socket Mode."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import ClassVar, Self

from parley.channels.slack.channel import create
from parley.channels.slack.config import Config
from parley.core.model.address import Conversation
from parley.core.ports.channel import Channel, ChannelServices
from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.slack import (
    SeenSlackMessage,
    SlackSimulator,
    SlackSimulatorTiming,
)
from parley.simulator.slack import SlackUpload as Sent
from tests.contract.driver import Attempt, Driver, Person, Place, Shown, Traits, Trouble, Upload
from tests.contract.drivers.pace import eager
from tests.kit.machine import patience

_SHOWING = ("chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream")
_FOREVER = 10**6
_REFUSALS = {
    Trouble.RATE_LIMITED: ("ratelimited", 429),
    Trouble.UNAVAILABLE: ("", 502),
    Trouble.UNFORMATTED: ("invalid_blocks", 200),
}
# Quick, and for as long as a promise is patient.
# It goes on until it is heard, however long a process takes to come back.
TIMING = SlackSimulatorTiming(ack=patience(0.5), retries=(0.1, 0.2, 0.4) + (1.0,) * 1000)


class SlackDriver(Driver):
    name: ClassVar[str] = "slack"
    thumbs: ClassVar[tuple[str, str]] = ("Good answer", "Bad answer")
    group_pattern: ClassVar[str] = "C*"
    traits: ClassVar[Traits] = Traits(
        max_part=12_000,
        unit=len,
        troubles=frozenset(Trouble) - {Trouble.DENIED, Trouble.STALE},
        groups=True,
        topics=True,
        previews=True,
        albums=True,
        strangers=True,
        bots=True,
        splits=True,
        apps=True,
        voice=True,
        transcribes=True,
        lies=True,
        credentials=True,
        expels=True,
        rewrites=True,
        stops=True,
        buttons=True,
        tells=True,
        reads_back=True,
        opens=True,
        slashes=True,
        views=True,
        ponders=True,
    )

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = SlackSimulator(timing=TIMING, clock=self.clock.now)
        self.mention = f"@{self._platform.handle}"
        self.secrets = (self._platform.bot_token, self._platform.app_token)

    async def __aenter__(self) -> Self:
        self._platform.__enter__()
        self._platform.world.subscribe(self.news)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._platform.__exit__(kind, error, trace)

    def config(self) -> Config:
        """What an operator would write."""
        platform = self._platform
        return Config(
            bot_token=platform.bot_token,
            app_token=platform.app_token,
            api_url=platform.api_url,
        )

    def make_channel(self, services: ChannelServices) -> Channel:
        return eager(create(self.config(), services))

    async def unplug(self) -> None:
        self._platform.faults.clear()
        self.outage(3600)

    async def plug(self) -> None:
        self._platform.faults.clear()

    async def private(self, name: str = "Ann") -> Place:
        person = self._platform.people.add_person(name)
        chat = self._platform.people.open_chat(person)
        return Place(Conversation(self.section, person.dm, chat), Person(person.id, name), private=True)

    async def group(self, name: str = "Ann") -> Place:
        return self._threads(name, 1)[0]

    async def newcomer(self, place: Place, name: str) -> Person:
        person = self._platform.people.add_person(name)
        self._platform.people.join(_chat(place), person.id)
        return Person(person.id, name)

    async def join(self, place: Place, person: Person) -> None:
        self._platform.people.join(_chat(place), person.id)

    async def topics(self, count: int) -> tuple[Place, ...]:
        # In a Slack channel every topic is a thread; there is no conversation around them.
        return self._threads("Ann", count + 1)

    async def long_talk(self, count: int) -> Place:
        people, past, start = self._platform.people, self._platform.past, time.time() - count - 5
        owner = people.add_person("Ann")
        channel = people.add_channel("team", [owner.id])
        root = past.say(channel, owner.id, "begin", start - 1)
        past.fill(channel, [owner.id], count, start, 1.0, root)
        return Place(Conversation(self.section, channel, root), Person(owner.id, "Ann"), private=False)

    async def app_posts(self, place: Place, title: str, text: str) -> None:
        alert: Json = {"title": title, "text": text}
        self._platform.past.webhook(_chat(place), "Monitor", time.time(), _thread(place), attachments=[alert])

    def readings(self) -> int:
        return len(self._platform.calls("conversations.replies", "conversations.history"))

    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        return self._platform.people.say(_chat(place), (by or place.owner).id, text, _thread(place))

    async def edit(self, place: Place, said: str, text: str) -> None:
        self._platform.people.edit(_chat(place), said, text)

    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        sent = [Sent(file.name, file.content, file.mime, file.declared) for file in files]
        return self._platform.people.send_files(_chat(place), place.owner.id, sent, text, _thread(place))

    async def say_aloud(self, place: Place, sound: bytes) -> str:
        return self._platform.people.speak(_chat(place), place.owner.id, sound, _thread(place))

    async def say_understood(self, place: Place, sound: bytes, words: str) -> str:
        return self._platform.people.speak(_chat(place), place.owner.id, sound, _thread(place), words)

    async def bot_says(self, place: Place, text: str) -> None:
        people, world = self._platform.people, self._platform.world
        for bot in (world.bot.id, people.add_bot("Other")):
            people.say(_chat(place), bot, f"{self.mention} {text}", _thread(place))

    async def press_stop(self, place: Place) -> None:
        try:
            self._platform.people.stop(_chat(place), place.owner.id, _thread(place))
        except LookupError as error:
            raise AssertionError(str(error)) from error

    async def press(self, place: Place, label: str, by: Person | None = None) -> None:
        there = [each for each in await self.look(place) if label in each.buttons]
        assert there, f"no message has a button {label!r}"
        self._platform.people.press(_chat(place), (by or place.owner).id, there[-1].id, label)

    async def told(self, place: Place, by: Person | None = None) -> list[str]:
        return list(self._platform.people.told(_chat(place), (by or place.owner).id, _thread(place)))

    async def begin(self, place: Place, text: str) -> Place:
        root = self._platform.people.say(_chat(place), place.owner.id, text)
        return Place(Conversation(self.section, _chat(place), root), place.owner, private=True)

    async def command(self, place: Place, text: str) -> None:
        self._platform.people.command(_chat(place), place.owner.id, "/parley", text)

    def answered_privately(self, place: Place) -> list[str]:
        return list(self._platform.people.told(_chat(place), place.owner.id))

    async def look_at(self, place: Place, where: Place) -> str:
        self._platform.people.look_at(place.owner.id, _chat(where))
        return _chat(where)

    def pondering(self, place: Place) -> str:
        return self._platform.people.status(_chat(place), _thread(place))

    async def redeliver(self) -> None:
        self._platform.people.redeliver(100)

    async def look(self, place: Place) -> list[Shown]:
        seen = self._platform.people.messages(_chat(place), _thread(place))
        # The root of a thread in a DM was there before anything was said.
        root = _thread(place) if place.private else ""
        kept = [m for m in seen if (m.text or m.files) and m.ts != root]
        last = max((message.ts for message in kept if message.from_bot), default="")
        return [_shown(message, last) for message in kept]

    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        return self._platform.people.file(_chat(place), shown.id, name)

    def growth(self, place: Place) -> list[str]:
        return [text for text in self._platform.people.growth(_chat(place), _thread(place)) if text]

    def attempts(self, place: Place) -> list[Attempt]:
        chat = place.conversation.chat
        calls = [call for call in self._platform.calls() if call.method in _SHOWING]
        ours = [call for call in calls if call.params.get("channel", chat) == chat]
        return [Attempt(call.at, call.error == "ratelimited") for call in ours]

    async def previewed(self) -> Place:
        self._platform.faults.fail_next("chat.appendStream", "ratelimited", 429, 3600, _FOREVER)
        return self._threads("Ann", 1)[0]

    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        faults = self._platform.faults
        for method in _SHOWING:
            match kind:
                case Trouble.RESET_BEFORE:
                    faults.reset_next(method, "before", times)
                case Trouble.RESET_AFTER:
                    faults.reset_next(method, "after", times)
                case Trouble.GARBLED:
                    faults.garble_next(method, times=times)
                case Trouble.SLOW:
                    faults.slow_next(method, seconds, times)
                case _:
                    error, status = _REFUSALS[kind]
                    faults.fail_next(method, error, status, max(1, round(seconds)), times)

    def outage(self, seconds: float) -> None:
        self._platform.faults.outage(seconds)
        self._platform.drop_connections()

    def drop_connection(self) -> None:
        self._platform.drop_connections()

    async def rubbish(self, place: Place) -> None:
        people = self._platform.people
        ordinary: JsonObject = {
            "type": "message",
            "channel": _chat(place),
            "channel_type": "im",
            "user": place.owner.id,
            "ts": "1700000000.000100",
        }
        for strange in _STRANGE:
            people.inject_event(ordinary | strange)
        for payload in _RUBBISH:
            people.inject(dict(payload))
        for frame in ("no json", "[]", "null", '{"envelope_id": 5}', '{"type": "hello"}', "{" * 2000):
            self._platform.send_frame(frame)
        self._platform.send_frame(b"\x00\xff")

    def revoke(self) -> None:
        self._platform.faults.fail_next("", "invalid_auth", times=_FOREVER)
        self._platform.drop_connections()

    def expel(self, place: Place) -> None:
        self._platform.people.close(_chat(place))

    def _threads(self, name: str, count: int) -> tuple[Place, ...]:
        people = self._platform.people
        owner = people.add_person(name)
        channel = people.add_channel("team", [owner.id])
        roots = [people.say(channel, owner.id, f"about matter {number}") for number in range(count)]
        return tuple(
            Place(Conversation(self.section, channel, root), Person(owner.id, name), private=False)
            for root in roots
        )


def _chat(place: Place) -> str:
    return place.conversation.chat


def _thread(place: Place) -> str:
    return place.conversation.topic or ""


def _shown(message: SeenSlackMessage, last: str) -> Shown:
    """Only the last message can still become the answer; an older one that never ended was left behind."""
    return Shown(
        id=message.ts,
        text=message.text,
        by_bot=message.from_bot,
        files=message.files,
        code=message.code,
        buttons=message.buttons,
        growing=message.streaming and message.ts == last,
    )


# What a person's client could cause, and a decoder may stumble over. None of it may become a turn, so that
# what is answered is what was asked.
_STRANGE: tuple[JsonObject, ...] = (
    {},
    {"text": ""},
    {"text": None},
    {"text": ["a", "list"]},
    {"text": 17},
    {"text": "from nobody", "user": None},
    {"text": "from an object", "user": {"id": "U1"}},
    {"text": "no chat", "channel": None},
    {"text": "a chat object", "channel": {"id": "C1"}},
    {"text": "no time", "ts": None},
    {"text": "odd time", "ts": "yesterday"},
    {"text": "a hidden one", "hidden": True},
    {"text": "typed oddly", "type": ["message"]},
    {"text": "changed", "subtype": "message_changed", "message": "a text"},
    {"text": "joined", "subtype": "channel_join"},
    {"text": "sub", "subtype": {"a": 1}},
    {"files": "a text"},
    {"files": [None, 3, {"id": None}, {"id": 5, "name": []}]},
    {"text": "of another workspace", "team": "T0OTHER"},
    {"text": "edited", "edited": {"user": "U1", "ts": "1"}},
    {"subtype": "message_changed", "message": {"text": []}, "previous_message": {"text": 5}},
    {"subtype": "message_changed", "message": {"user": {}}, "previous_message": {}},
    {"type": "agent_session_stopped"},
    {"type": "agent_session_stopped", "thread_ts": {}, "event_ts": "soon"},
)
_RUBBISH: tuple[dict[str, Json], ...] = (
    {},
    {"event": None},
    {"event": "a text"},
    {"event": []},
    {"type": "event_callback"},
    {"type": "event_callback", "event": {}},
    {"type": "event_callback", "event": {"type": None}},
    {"type": "event_callback", "event": {"type": "message"}, "team_id": [], "authorizations": "x"},
    {"type": "never_heard_of", "a": [{"b": {}}] * 50},
    {"type": "event_callback", "event": {"type": "app_mention"}, "authorizations": [[]]},
    {"type": "block_actions", "actions": None},
    {"command": 5},
)
