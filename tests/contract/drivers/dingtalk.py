"""DingTalk: the real channel against the simulated platform, answering and asking in cards."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import ClassVar, Self

from parley.channels.dingtalk.card_template import build_template
from parley.channels.dingtalk.channel import create
from parley.channels.dingtalk.config import NO_CARDS, Config
from parley.channels.dingtalk.formatting import CARD_PART
from parley.channels.kit.text import byte_length
from parley.core.model.address import Conversation
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.texts import Sentence, say
from parley.simulator.dingtalk import DingTalkCall, DingTalkSimulator, SeenDingTalkMessage
from parley.simulator.dingtalk import DingTalkUpload as Sent
from parley.simulator.kit.json_values import Json
from parley.simulator.kit.limits import load_limits
from tests.contract.driver import Attempt, Driver, Person, Place, Shown, Traits, Trouble, Upload
from tests.contract.drivers.dingtalk_malformed import FRAMES, PRESSES, RUBBISH, STRANGE
from tests.contract.drivers.pace import eager

_SHOWING = ("streaming", "createAndDeliver", "update", "batchSend", "groupSend")


class DingTalkDriver(Driver):
    """DingTalk loses what is said while nobody is connected. So people here speak when the robot is there,
    and what they say in an outage they say after it.
    """

    name: ClassVar[str] = "dingtalk"
    traits: ClassVar[Traits] = Traits(
        max_part=CARD_PART,
        unit=len,
        troubles=frozenset(Trouble) - {Trouble.UNFORMATTED},
        redelivers=False,
        groups=True,
        strangers=True,
        splits=True,
        apps=True,
        voice=True,
        transcribes=True,
        lies=True,
        credentials=True,
        expels=True,
        buttons=True,
        stops=True,
        tells=True,
        doubles=False,
    )

    def __init__(self, news: Callable[[], None]) -> None:
        super().__init__(news)
        self._platform = DingTalkSimulator(clock=self.clock.now)
        # One template for answers and questions, as docs/dingtalk.md has it imported.
        self._template = self._platform.world.import_template(json.dumps(build_template()))
        self.mention = f"@{self._platform.name}"
        self.secrets = (self._platform.client_secret, self._platform.world.mark)
        self._later: set[asyncio.Task[str]] = set()
        self._order = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self._platform.__enter__()
        self._platform.world.subscribe(self.news)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._later:
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)
        self._platform.__exit__(kind, error, trace)

    def config(self) -> Config:
        """What an operator would write."""
        return Config(
            client_id=self._platform.client_id,
            client_secret=self._platform.client_secret,
            card_template_id=self._template,
            question_template_id=self._template,
            api_url=self._platform.url,
            oapi_url=self._platform.url,
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
        return Place(Conversation(self.section, person.id), Person(person.id, name), private=True)

    async def group(self, name: str = "Ann") -> Place:
        owner = self._platform.people.add_person(name)
        chat = self._platform.people.add_group("Team", [owner.id], overheard=True)
        return Place(Conversation(self.section, chat), Person(owner.id, name), private=False)

    async def join(self, place: Place, person: Person) -> None:
        """Whoever speaks in a group is in it."""

    async def newcomer(self, place: Place, name: str) -> Person:
        return Person(self._platform.people.add_person(name).id, name)

    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        people, who = self._platform.people, by or place.owner
        return await self._spoken(lambda: people.say(_chat(place), who.id, text, reply_to))

    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        # A file comes without words; who wants to say something about one quotes it.
        people, chat, owner = self._platform.people, _chat(place), place.owner.id
        sent = Sent(files[0].name, files[0].content, files[0].mime)
        if not text:
            return await self._spoken(lambda: people.send_file(chat, owner, sent))
        before = people.send_file(chat, owner, sent, unheard=True)
        return await self._spoken(lambda: people.say(chat, owner, text, before))

    async def say_aloud(self, place: Place, sound: bytes) -> str:
        people, owner = self._platform.people, place.owner.id
        return await self._spoken(lambda: people.speak(_chat(place), owner, sound=sound))

    async def say_understood(self, place: Place, sound: bytes, words: str) -> str:
        people, owner = self._platform.people, place.owner.id
        return await self._spoken(lambda: people.speak(_chat(place), owner, words, sound))

    async def press(self, place: Place, label: str, by: Person | None = None) -> None:
        # DingTalk tells of a press once, and whoever pressed sees at once that nobody is there.
        await self._until(lambda: self._platform.connections > 0)
        found = [shown for shown in await self.look(place) if label in shown.buttons]
        assert found, f"no button {label!r}"
        self._platform.people.press(_chat(place), (by or place.owner).id, found[-1].id, label)

    async def press_stop(self, place: Place) -> None:
        await self.press(place, say("en", Sentence.STOP_BUTTON))

    async def told(self, place: Place, by: Person | None = None) -> list[str]:
        return list(self._platform.people.told(_chat(place), (by or place.owner).id))

    async def redeliver(self) -> None:
        self._platform.people.redeliver(100)

    async def look(self, place: Place) -> list[Shown]:
        return [_shown(message) for message in self._platform.people.messages(_chat(place))]

    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        content = self._platform.people.file(_chat(place), shown.id)
        if not content.startswith(b"PK"):
            return content
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return packed.read(name)

    def growth(self, place: Place) -> list[str]:
        return list(self._platform.people.growth(_chat(place)))

    def attempts(self, place: Place) -> list[Attempt]:
        calls = [call for call in self._platform.calls() if call.method in _SHOWING]
        return [
            Attempt(call.at, call.status == 403) for call in calls if self._place_of(call) == _chat(place)
        ]

    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        faults = self._platform.faults
        if kind is Trouble.STALE:
            self._platform.world.expire_tokens()
        elif kind is Trouble.DENIED:
            faults.deny_next("streaming", times)
        else:
            self._fail_showing(kind, times, seconds)

    def _fail_showing(self, kind: Trouble, times: int, seconds: float) -> None:
        """Let it go wrong with every method that shows something."""
        faults = self._platform.faults
        # A PUT whose connection breaks is made once more by aiohttp itself.
        breaks = times + 1
        for method in _SHOWING:
            match kind:
                case Trouble.RESET_BEFORE:
                    faults.reset_next(method, "before", breaks)
                case Trouble.RESET_AFTER:
                    faults.reset_next(method, "after", breaks)
                case Trouble.GARBLED:
                    faults.garble_next(method, times=times)
                case Trouble.SLOW:
                    faults.slow_next(method, seconds, times)
                case Trouble.RATE_LIMITED:
                    # DingTalk never says for how long; a second is the unit of its limits.
                    faults.fail_next(method, 403, times=times)
                case _:
                    faults.fail_next(method, 503, times=times)

    def outage(self, seconds: float) -> None:
        self._platform.faults.outage(seconds)
        self._platform.drop()

    def drop_connection(self) -> None:
        self._platform.drop()

    async def rubbish(self, place: Place) -> None:
        person = place.owner.id
        whole: dict[str, Json] = {
            "msgId": "strange",
            "msgtype": "text",
            "text": {"content": ""},
            "conversationType": "1",
            "senderStaffId": person,
            "createAt": 1,
        }
        for strange in STRANGE:
            self._platform.people.inject(whole | strange)
        for data in RUBBISH:
            self._platform.people.inject(data)
        for raw in (*FRAMES, *PRESSES):
            self._platform.people.inject(raw=raw)

    def revoke(self) -> None:
        self._platform.revoke()

    def expel(self, place: Place) -> None:
        self._platform.people.remove_robot(_chat(place))

    async def _spoken(self, speak: Callable[[], str]) -> str:
        """Speak once the robot is there, and see it heard; in an outage, later."""
        if not self._platform.faults.out():
            return await self._speak(speak)
        task = asyncio.create_task(self._speak(speak))
        self._later.add(task)
        task.add_done_callback(self._later.discard)
        return "later"

    async def _speak(self, speak: Callable[[], str]) -> str:
        async with self._order:
            await self._until(lambda: self._platform.connections > 0)
            number = speak()
            await self._until(lambda: self._platform.people.heard(number))
            return number

    async def _until(self, true: Callable[[], bool]) -> None:
        """Wait, but not for ever: nobody hears a robot that is broken."""
        with suppress(TimeoutError):
            await asyncio.to_thread(self._platform.people.wait, true, self.patience)

    def _place_of(self, call: DingTalkCall) -> str:
        card = self._platform.world.cards.get(str(call.body.get("outTrackId")))
        people = call.body.get("userIds")
        if card is not None:
            return card.space
        named = people[0] if isinstance(people, list) and people else call.body.get("openConversationId")
        return str(named or call.body.get("openSpaceId", "")).partition(".")[2] or str(named)


class DingTalkPlainDriver(DingTalkDriver):
    """A robot without cards: what it says is in messages that groups take up to so many bytes of, and that no
    key keeps from being sent twice.
    """

    traits: ClassVar[Traits] = replace(
        DingTalkDriver.traits,
        max_part=load_limits("dingtalk")["group_message_bytes"].whole,
        unit=byte_length,
        doubles=True,
    )

    def config(self) -> Config:
        # Without receipts, so that a fault finds the reply itself.
        return super().config().model_copy(update={"card_template_id": NO_CARDS, "receipt": "off"})


def _chat(place: Place) -> str:
    return place.conversation.chat


def _shown(message: SeenDingTalkMessage) -> Shown:
    return Shown(
        id=message.id,
        text=message.shown,
        by_bot=message.from_robot,
        reply_to=message.quotes,
        # Whoever opens it finds the file inside.
        files=(message.file.removesuffix(".zip"),) if message.file else (),
        code=message.code,
        growing=message.growing,
        buttons=message.buttons,
    )
