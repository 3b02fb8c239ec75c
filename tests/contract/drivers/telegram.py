"""Telegram: the real channel against the simulated Bot API."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import ClassVar, Literal, Self

from parley.channels.kit.text import utf16_length
from parley.channels.telegram.channel import create
from parley.channels.telegram.config import Config
from parley.channels.telegram.inbound.update_parser import GUEST
from parley.core.model.address import Conversation
from parley.core.ports.channel import Channel, ChannelServices
from parley.simulator.kit.json_values import Json
from parley.simulator.telegram import SeenTelegramMessage, TelegramSimulator
from parley.simulator.telegram import TelegramUpload as Sent
from parley.simulator.telegram.model import utf16
from tests.contract.driver import Attempt, Driver, Person, Place, Shown, Traits, Trouble, Upload
from tests.contract.drivers.pace import eager
from tests.contract.drivers.telegram_malformed import RUBBISH, STRANGE

_SHOWING = ("sendMessage", "editMessageText", "sendMessageDraft")
_FOREVER = 10**6
_REFUSALS = {
    Trouble.RATE_LIMITED: (429, ""),
    Trouble.UNAVAILABLE: (502, "Bad Gateway"),
    Trouble.UNFORMATTED: (400, "Bad Request: can't parse entities: no such thing"),
}


class TelegramDriver(Driver):
    name: ClassVar[str] = "telegram"
    delivery: ClassVar[Literal["send", "edit"]] = "send"
    group_pattern: ClassVar[str] = "-*"
    traits: ClassVar[Traits] = Traits(
        max_part=4096,
        unit=utf16_length,
        troubles=frozenset(Trouble) - {Trouble.DENIED, Trouble.STALE},
        groups=True,
        topics=True,
        previews=True,
        albums=True,
        quotes=True,
        strangers=True,
        bots=True,
        splits=True,
        apps=True,
        voice=True,
        lies=True,
        credentials=True,
        expels=True,
        menu=True,
        rewrites=True,
        guests=True,
        stops=True,
        buttons=True,
        tells=True,
        insists=True,
    )

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = TelegramSimulator(clock=self.clock.now)
        self.mention = f"@{self._platform.username}"
        self.secrets = (self._platform.token, self._platform.token.partition(":")[2])
        self._boxes = itertools.count(900_000)

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
        return Config(
            bot_token=self._platform.token,
            api_url=self._platform.api_url,
            poll_timeout=5,
            delivery=self.delivery,
            allowed_users=("*",),
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
        return Place(Conversation(self.section, str(person.id)), Person(str(person.id), name), private=True)

    async def group(self, name: str = "Ann") -> Place:
        return self._add_group(name, forum=False)

    async def join(self, place: Place, person: Person) -> None:
        """Whoever speaks in a group is in it."""

    async def newcomer(self, place: Place, name: str) -> Person:
        return Person(str(self._platform.people.add_person(name).id), name)

    async def topics(self, count: int) -> tuple[Place, ...]:
        forum = self._add_group("Ann", forum=True)
        chat, owner = forum.conversation.chat, forum.owner
        numbers = [
            self._platform.people.add_topic(int(chat), f"Topic {n}", int(owner.id)) for n in range(count)
        ]
        places = [Place(Conversation(self.section, chat, str(n)), owner, private=False) for n in numbers]
        return (forum, *places)

    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        number = self._platform.people.say(
            _chat(place),
            int((by or place.owner).id),
            text,
            reply_to=int(reply_to) if reply_to else None,
            topic=_topic(place),
        )
        return str(number)

    async def call_as_guest(self, text: str) -> Place:
        people = self._platform.people
        owner = people.add_person("Ann")
        chat = people.add_group("Elsewhere", [owner.id])
        people.remove_bot(chat)
        people.call_as_guest(chat, owner.id, f"{self.mention} {text}")
        return Place(
            Conversation(self.section, str(chat), GUEST), Person(str(owner.id), owner.name), private=False
        )

    async def edit(self, place: Place, said: str, text: str) -> None:
        self._platform.people.edit(_chat(place), int(said), text)

    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        people, chat, owner = self._platform.people, _chat(place), int(place.owner.id)
        sent = [Sent(file.name, file.content, file.mime) for file in files]
        if files[0].declared is not None:
            return self._lie(place, sent[0], files[0].declared)
        if len(sent) > 1:
            return str(people.send_album(chat, owner, sent, text, _topic(place))[0])
        return str(people.send_file(chat, owner, sent[0], text, topic=_topic(place)))

    async def say_aloud(self, place: Place, sound: bytes) -> str:
        sent = Sent("voice.ogg", sound, "audio/ogg", "voice")
        return str(self._platform.people.send_file(_chat(place), int(place.owner.id), sent))

    async def bot_says(self, place: Place, text: str) -> None:
        world = self._platform.world
        for bot_id, username in ((world.bot.id, world.bot.username), (4711, "other_bot")):
            sender: Json = {"id": bot_id, "is_bot": True, "first_name": "Bot", "username": username}
            mark: Json = {"type": "mention", "offset": 0, "length": len(self.mention)}
            words: dict[str, Json] = {"text": f"{self.mention} {text}", "entities": [mark]}
            self._inject(place, words | {"from": sender})

    async def press_stop(self, place: Place) -> None:
        try:
            self._platform.people.stop(_chat(place))
        except LookupError as error:
            raise AssertionError(str(error)) from error

    async def press(self, place: Place, label: str, by: Person | None = None) -> None:
        shown = [m for m in await self.look(place) if label in m.buttons]
        assert shown, f"no button {label!r}"
        presser = int((by or place.owner).id)
        self._platform.people.press(_chat(place), presser, int(shown[-1].id), label)

    async def told(self, place: Place, by: Person | None = None) -> list[str]:
        return list(self._platform.people.told(_chat(place), int((by or place.owner).id)))

    async def redeliver(self) -> None:
        self._platform.people.redeliver(100)

    async def look(self, place: Place) -> list[Shown]:
        people, chat, topic = self._platform.people, _chat(place), _topic(place)
        seen = [m for m in people.messages(chat) if m.topic == topic and (m.text or m.file)]
        drafts = [
            Shown(f"draft {draft.id}", draft.text, by_bot=True, growing=True)
            for draft in people.drafts(chat)
            if draft.topic == topic
        ]
        return [_shown(message) for message in seen] + drafts

    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        return self._platform.people.file(_chat(place), int(shown.id))

    def growth(self, place: Place) -> list[str]:
        calls = [call for call in self._platform.calls() if call.method in _SHOWING and call.status == 200]
        chat = place.conversation.chat
        return [str(call.params.get("text", "")) for call in calls if str(call.params.get("chat_id")) == chat]

    def attempts(self, place: Place) -> list[Attempt]:
        chat = place.conversation.chat
        calls = [call for call in self._platform.calls() if str(call.params.get("chat_id", chat)) == chat]
        return [
            Attempt(call.at, call.status == 429, call.method == "sendMessageDraft")
            for call in calls
            if call.method in _SHOWING
        ]

    def menu(self) -> Sequence[str]:
        return tuple(self._platform.people.commands())

    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        # A stub that holds a message's place has no marks; nobody would refuse it for them.
        stubs = self.delivery == "edit" and kind is Trouble.UNFORMATTED
        methods = _SHOWING[1:] if stubs else _SHOWING
        for method in methods:
            match kind:
                case Trouble.RESET_BEFORE:
                    self._platform.faults.reset_next(method, "before", times)
                case Trouble.RESET_AFTER:
                    self._platform.faults.reset_next(method, "after", times)
                case Trouble.GARBLED:
                    self._platform.faults.garble_next(method, times=times)
                case Trouble.SLOW:
                    self._platform.faults.slow_next(method, seconds, times)
                case _:
                    status, words = _REFUSALS[kind]
                    wait = round(seconds) if kind is Trouble.RATE_LIMITED else 0
                    self._platform.faults.fail_next(method, status, words, wait, times)

    async def previewed(self) -> Place:
        self._platform.faults.fail_next("sendMessageDraft", 429, "", 3600, _FOREVER)
        return await self.private()

    def outage(self, seconds: float) -> None:
        self._platform.faults.outage(seconds)
        self._platform.drop_poll()

    def drop_connection(self) -> None:
        self._platform.drop_poll()

    async def rubbish(self, place: Place) -> None:
        for content in STRANGE:
            self._inject(place, content)
        for update in RUBBISH:
            self._platform.people.inject(dict(update))

    def revoke(self) -> None:
        for method in ("", "getUpdates"):
            self._platform.faults.fail_next(method, 401, "Unauthorized", times=_FOREVER)
        self._platform.drop_poll()

    def expel(self, place: Place) -> None:
        self._platform.people.remove_bot(_chat(place))

    def _add_group(self, name: str, *, forum: bool) -> Place:
        people = self._platform.people
        owner = people.add_person(name)
        chat = people.add_group("Team", [owner.id], forum=forum)
        people.make_bot_admin(chat)
        return Place(Conversation(self.section, str(chat)), Person(str(owner.id), name), private=False)

    def _lie(self, place: Place, sent: Sent, declared: int) -> str:
        with self._platform.world.changed:
            media = self._platform.world.keep(sent)
        document: Json = {
            "file_id": media.file_id,
            "file_unique_id": "u",
            "file_name": sent.name,
            "file_size": declared,
        }
        return self._inject(place, {"document": document})

    def _inject(self, place: Place, content: dict[str, Json]) -> str:
        number = next(self._boxes)
        message: dict[str, Json] = {
            "message_id": number,
            "date": int(time.time()),
            "chat": {"id": _chat(place), "type": "private"}
            if place.private
            else {"id": _chat(place), "type": "supergroup", "title": "T"},
            "from": {"id": int(place.owner.id), "is_bot": False, "first_name": place.owner.name},
        }
        self._platform.people.inject({"message": message | content})
        return str(number)


def _chat(place: Place) -> int:
    return int(place.conversation.chat)


def _topic(place: Place) -> int | None:
    return None if place.conversation.topic in (None, GUEST) else int(place.conversation.topic)


def _shown(message: SeenTelegramMessage) -> Shown:
    marks = [m for m in message.entities if isinstance(m, dict) and m.get("type") in ("code", "pre")]
    return Shown(
        id=str(message.id),
        text=message.text,
        by_bot=message.from_bot,
        reply_to=str(message.reply_to or ""),
        files=(message.file,) if message.file else (),
        code=tuple(_cut(message.text, mark) for mark in marks),
        buttons=sum(message.buttons, ()),
    )


def _cut(text: str, mark: dict[str, Json]) -> str:
    offset, length = mark.get("offset"), mark.get("length")
    assert isinstance(offset, int)
    assert isinstance(length, int)
    raw = text.encode("utf-16-le")
    assert offset + length <= utf16(text)
    return raw[2 * offset : 2 * (offset + length)].decode("utf-16-le")
