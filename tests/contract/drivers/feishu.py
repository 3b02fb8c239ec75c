"""Feishu: the real channel against the simulated open platform."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import ClassVar, Self

from parley.channels.feishu.channel import create
from parley.channels.feishu.config import Config
from parley.channels.kit.text import byte_length
from parley.core.model.address import Conversation
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.texts import Sentence, say
from parley.simulator.feishu import SHOWING, FeishuSimulator, FeishuSimulatorTiming, SeenFeishuMessage
from parley.simulator.feishu import FeishuUpload as Sent
from parley.simulator.kit.json_values import Json, JsonObject
from tests.contract.driver import Attempt, Driver, Person, Place, Shown, Traits, Trouble, Upload
from tests.contract.drivers.pace import eager
from tests.kit.machine import patience

_FOREVER = 10**6
# Redelivered soon and often, so that promises need not wait as long as the platform does.
# It goes on until it is heard, however long a process takes to come back.
_TIMING = FeishuSimulatorTiming(ack=patience(1.0), redelivery=(0.2,) * 1000)


class FeishuDriver(Driver):
    name: ClassVar[str] = "feishu"
    traits: ClassVar[Traits] = Traits(
        max_part=28_000,
        unit=byte_length,
        troubles=frozenset(Trouble) - {Trouble.DENIED, Trouble.STALE},
        groups=True,
        topics=True,
        aims=False,
        quotes=True,
        strangers=True,
        bots=True,
        splits=True,
        apps=True,
        # It declares no sizes at all, which asks no less of the cap.
        lies=True,
        credentials=True,
        expels=True,
        voice=True,
        recognizes=True,
        buttons=True,
        stops=True,
        tells=True,
        doubles=False,
        reads_back=True,
    )

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = FeishuSimulator(timing=_TIMING, clock=self.clock.now)
        self.mention = f"@{self._platform.world.bot.name}"
        self.secrets = (self._platform.world.secret,)
        self._groups: dict[str, str] = {}

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
        world = self._platform.world
        return Config(app_id=world.app_id, app_secret=world.secret, domain=self._platform.url)

    def make_channel(self, services: ChannelServices) -> Channel:
        return eager(create(self.config(), services))

    async def unplug(self) -> None:
        self._platform.faults.clear()
        self.outage(3600)

    async def plug(self) -> None:
        self._platform.faults.clear()

    async def private(self, name: str = "Ann") -> Place:
        person = self._platform.people.add_person(name)
        return Place(Conversation(self.section, person.chat), Person(person.open_id, name), private=True)

    async def group(self, name: str = "Ann") -> Place:
        people = self._platform.people
        members = [people.add_person(each).open_id for each in (name, "carol_w", "bob_smith")]
        chat = people.add_group("Team", members)
        return Place(Conversation(self.section, chat), Person(members[0], name), private=False)

    async def long_talk(self, count: int) -> Place:
        place = await self.group()
        start = time.time() - count - 5
        self._platform.past.fill(place.conversation.chat, [place.owner.id], count, start, 1.0)
        return place

    async def app_posts(self, place: Place, title: str, text: str) -> None:
        past = self._platform.past
        heading: Json = {"title": {"tag": "plain_text", "content": title}}
        body: Json = {"elements": [{"tag": "markdown", "content": text}]}
        card: JsonObject = {"schema": "2.0", "header": heading, "body": body}
        past.post(place.conversation.chat, past.add_bot("Monitor"), "interactive", card, time.time())

    def readings(self) -> int:
        return len(self._platform.calls("list", "get"))

    async def newcomer(self, place: Place, name: str) -> Person:
        person = self._platform.people.add_person(name)
        self._platform.people.join(place.conversation.chat, person.open_id)
        return Person(person.open_id, name)

    async def join(self, place: Place, person: Person) -> None:
        self._platform.people.join(place.conversation.chat, person.id)

    async def topics(self, count: int) -> tuple[Place, ...]:
        around = await self.group()
        return (around, *(self._topic(around, number) for number in range(count)))

    def _topic(self, around: Place, number: int) -> Place:
        """A topic that people opened among themselves."""
        people, chat, owner = self._platform.people, around.conversation.chat, around.owner.id
        opening = people.say(chat, owner, f"Topic {number}")
        people.say(chat, owner, f"about {number}", reply_to=opening, in_thread=True)
        thread = self._platform.world.messages[opening].thread
        return Place(Conversation(self.section, chat, thread), around.owner, private=False)

    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        chat, who = place.conversation.chat, (by or place.owner).id
        if place.conversation.topic is not None and not reply_to:
            reply_to = self._opening(place)
        return self._platform.people.say(chat, who, text, reply_to=reply_to)

    def _opening(self, place: Place) -> str:
        found = self._platform.people.messages(place.conversation.chat)
        return next(message.id for message in found if message.thread == place.conversation.topic)

    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        sent = [Sent(file.name, file.content) for file in files]
        return self._platform.people.send_with_text(place.conversation.chat, place.owner.id, sent, text)

    async def say_aloud(self, place: Place, sound: bytes) -> str:
        sent = Sent("voice.opus", sound, kind="audio")
        return self._platform.people.send_file(place.conversation.chat, place.owner.id, sent)

    def understand(self, words: str) -> None:
        self._platform.people.understand(words)
        if not words:
            self._platform.faults.refuse_next(["speech"], 2340002, "not for this edition", times=_FOREVER)

    async def bot_says(self, place: Place, text: str) -> None:
        for bot in (self._platform.world.bot.open_id, self._platform.past.add_bot("Other")):
            self._platform.people.say(place.conversation.chat, bot, f"{self.mention} {text}")

    async def press(self, place: Place, label: str, by: Person | None = None) -> None:
        found = [shown for shown in await self.look(place) if label in shown.buttons]
        assert found, f"no button {label!r}"
        presser = (by or place.owner).id
        self._platform.people.press(place.conversation.chat, presser, found[-1].id, label)

    async def press_stop(self, place: Place) -> None:
        await self.press(place, say("en", Sentence.STOP_BUTTON))

    async def told(self, place: Place, by: Person | None = None) -> list[str]:
        return list(self._platform.people.told(place.conversation.chat, (by or place.owner).id))

    async def redeliver(self) -> None:
        self._platform.people.redeliver(100)

    async def look(self, place: Place) -> list[Shown]:
        topic = place.conversation.topic or ""
        seen = self._platform.people.messages(place.conversation.chat)
        return [_shown(message) for message in seen if message.thread == topic]

    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        return self._platform.people.file(shown.id)

    def growth(self, place: Place) -> list[str]:
        return list(self._platform.people.history(place.conversation.chat))

    def attempts(self, place: Place) -> list[Attempt]:
        # A card that is only being made is in no chat yet.
        here = ("", place.conversation.chat)
        calls = [call for call in self._platform.calls(*SHOWING) if call.chat in here]
        return [Attempt(call.at, call.code == 99991400) for call in calls]

    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        faults = self._platform.faults
        match kind:
            case Trouble.RATE_LIMITED:
                faults.limit_next(SHOWING, round(seconds), times)
            case Trouble.UNAVAILABLE:
                faults.refuse_next(SHOWING, 1500, "internal error", 502, times=times)
            case Trouble.RESET_BEFORE:
                # The HTTP client itself repeats a PUT once.
                faults.reset_next(SHOWING, "before", times + 1)
            case Trouble.RESET_AFTER:
                faults.reset_next(SHOWING, "after", times + 1)
            case Trouble.GARBLED:
                faults.garble_next(SHOWING, times=times)
            case Trouble.SLOW:
                faults.slow_next(SHOWING, seconds, times)
            case Trouble.UNFORMATTED:
                self._refuse_cards(times)

    def _refuse_cards(self, times: int) -> None:
        for name in ("send", "reply", "card.content", "card.update", "patch"):
            self._platform.faults.refuse_next([name], 230099, "Failed to create card content", times=times)

    def outage(self, seconds: float) -> None:
        self._platform.faults.outage(seconds)
        self._platform.drop_connections()

    def drop_connection(self) -> None:
        self._platform.drop_connections()

    async def rubbish(self, place: Place) -> None:
        for content in _STRANGE:
            self._inject(place, content, _sender(place))
        for event in _RUBBISH:
            self._platform.people.inject(event)

    def revoke(self) -> None:
        for name in ("token", "endpoint"):
            self._platform.faults.refuse_next([name], 10014, "app secret invalid", 200, times=_FOREVER)
        self._platform.drop_connections()

    def expel(self, place: Place) -> None:
        self._platform.people.remove_bot(place.conversation.chat)

    def _mention(self) -> Json:
        bot = self._platform.world.bot
        return {"key": "@_user_1", "id": {"open_id": bot.open_id}, "name": bot.name, "mentioned_type": "bot"}

    def _inject(self, place: Place, content: JsonObject, sender: Json) -> None:
        message: JsonObject = {
            "message_id": self._platform.world.name("om"),
            "chat_id": place.conversation.chat,
            "chat_type": "p2p" if place.private else "group",
            "message_type": "text",
            "content": '{"text": "strange"}',
            "create_time": str(round(time.time() * 1000)),
        }
        event: JsonObject = {"message": message | content, "sender": sender}
        event |= {key: value for key, value in content.items() if key == "sender"}
        header: JsonObject = {"event_type": "im.message.receive_v1", "event_id": message["message_id"]}
        self._platform.people.inject({"schema": "2.0", "header": header, "event": event})


def _sender(place: Place) -> JsonObject:
    return {"sender_id": {"open_id": place.owner.id}, "sender_type": "user"}


def _shown(message: SeenFeishuMessage) -> Shown:
    return Shown(
        id=message.id,
        text=message.text,
        by_bot=message.from_bot,
        reply_to=message.parent,
        files=(message.file,) if message.file else (),
        code=message.code,
        growing=message.streaming,
        buttons=message.buttons,
    )


# What a person's client could cause, and a reader may stumble over.
_STRANGE: tuple[JsonObject, ...] = (
    {"content": ""},
    {"content": "no json"},
    {"content": "[1, 2]"},
    {"content": "[" * 100_000},
    {"content": None},
    {"content": {"text": "an object"}},
    {"content": '{"text": null}'},
    {"content": '{"text": ["a", "list"]}'},
    {"content": '{"text": ""}'},
    {"content": '{"text": "half \\ud83d a sign"}', "create_time": "soon"},
    {"message_id": None},
    {"message_id": "../../etc"},
    {"chat_id": 17},
    {"create_time": "1" * 400},
    {"mentions": {"key": 1}, "message_type": "post", "content": '{"content": [[{"tag": "at"}], 3, null]}'},
    {"message_type": "image", "content": "{}"},
    {"message_type": "file", "content": '{"file_key": ["x"]}'},
    {"message_type": "system", "content": '{"template": "{from_user} joined"}'},
    {"message_type": None},
    {"sender": None},
    {"sender": {"sender_type": "user", "sender_id": "ou_text"}},
    {"thread_id": {}, "parent_id": [1]},
)
_RUBBISH: tuple[JsonObject | bytes, ...] = (
    {},
    {"header": None},
    {"header": {"event_type": "im.message.receive_v1"}},
    {"header": {"event_type": "im.message.receive_v1"}, "event": []},
    {"header": {"event_type": "never.heard.of_v9"}, "event": {"a": [{"b": {}}] * 50}},
    {"type": "url_verification"},
    b"",
    b"\xff\xfe not text",
    b"[]",
    b"[" * 50_000,
)
