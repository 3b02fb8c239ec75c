"""What a promise needs from a platform and from the people on its other side.

A new channel comes into the contract by one subclass of Driver, listed in `drivers/__init__.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import ClassVar, Self

from parley.channels.kit.text import Measure
from parley.core.model.address import Conversation
from parley.core.ports.channel import Channel, ChannelServices
from tests.kit.doubles.leaping_clock import LeapingClock


class Trouble(StrEnum):
    """What may go wrong with the next calls by which a reply is shown."""

    RATE_LIMITED = "rate limited"
    """Refused, with the seconds to wait."""
    UNAVAILABLE = "unavailable"
    """A server error, without any effect."""
    RESET_BEFORE = "reset before"
    """The connection breaks before the effect."""
    RESET_AFTER = "reset after"
    """The connection breaks after the effect: only the answer is lost."""
    GARBLED = "garbled"
    """Done, but answered with something that is no answer."""
    UNFORMATTED = "unformatted"
    """The marks on the text are refused, the bare text would be taken."""
    DENIED = "denied"
    """Answered as a success, with the word in the body that it was none; nothing was done."""
    STALE = "stale"
    """The access token is none any more, before its time."""
    SLOW = "slow"
    """Each call takes so many seconds."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a platform is like, as data: a promise applies where the traits that it needs hold.

    `max_part` is the longest message, measured by `unit`. The rest say whether the platform ...
    """

    max_part: int
    unit: Measure
    troubles: frozenset[Trouble] = frozenset()
    redelivers: bool = True
    """hands over again what was not acknowledged"""
    repeats: bool = True
    """may hand over one message twice"""
    groups: bool = False
    """has chats of several people"""
    topics: bool = False
    """has topics within a chat"""
    aims: bool = True
    """lets an answer go elsewhere than its question's topic"""
    albums: bool = False
    """lets people send several files at once"""
    quotes: bool = False
    """lets people reply to a message"""
    strangers: bool = False
    """can be written to by people who are not allowed"""
    bots: bool = False
    """shows bots what they and other bots wrote"""
    splits: bool = False
    """has limits so tight that answers are sent in parts"""
    apps: bool = False
    """lets one Parley have several apps"""
    voice: bool = False
    """lets people speak instead of writing"""
    transcribes: bool = False
    """understands voice messages itself, and tells us what was said"""
    recognizes: bool = False
    """turns speech into words when it is asked to"""
    lies: bool = False
    """declares sizes of files that may be wrong"""
    credentials: bool = False
    """may refuse our credentials"""
    expels: bool = False
    """lets people throw the bot out for good"""
    menu: bool = False
    """shows people a menu of commands"""
    rewrites: bool = False
    """lets people change what they sent, and tells us"""
    guests: bool = False
    """lets people call the bot in chats that it is no member of"""
    stops: bool = False
    """shows people a stop button while an answer grows"""
    buttons: bool = False
    """shows buttons under a message, for people to answer a question with"""
    tells: bool = False
    """lets us tell who pressed a button, and nobody else, what came of it"""
    insists: bool = False
    """hands over again a press that was not acknowledged"""
    doubles: bool = True
    """shows what is sent again a second time, knowing no idempotency keys"""
    reads_back: bool = False
    """lets us read what was said before we listened"""
    opens: bool = False
    """lets people begin conversations of their own where they talk to the bot alone"""
    slashes: bool = False
    """has commands of its own, whose answers only their writer sees"""
    views: bool = False
    """tells what people look at while they talk to the bot alone"""
    ponders: bool = False
    """shows in a line of its own that the bot thinks"""
    previews: bool = False
    """shows growing answers by calls that it does not count with those that finish one"""
    dials: bool = True
    """is connected to by us, over a connection that may drop"""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account; `id` is what the core must know them by."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to talk. `conversation` is what the core must call it, `owner` speaks by default."""

    conversation: Conversation
    owner: Person
    private: bool


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody sends; `declared` is its size as the platform tells it, where that is a lie."""

    name: str
    content: bytes
    mime: str = "application/octet-stream"
    declared: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """One message as somebody in the place sees it: markdown rendered away, `code` the text set as code.

    `growing` is a reply that the platform itself shows as unfinished, `buttons` the labels of those that can
    be pressed.
    """

    id: str
    text: str
    by_bot: bool
    reply_to: str = ""
    files: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    growing: bool = False
    buttons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that tried to show something: when it was answered (Unix time), and whether it was refused.

    `preview` says that it is of a preview, for whose pause a finished message does not wait.
    """

    at: float
    refused: bool
    preview: bool = False


class Driver(ABC):
    """One platform, entered with `async with`; it outlives every process that is started against it.

    `news` may be called from any thread whenever something a person could see has changed. Methods that
    need a trait are only called where the traits say so.
    """

    name: ClassVar[str]
    named: ClassVar[str] = ""
    """What the settings call the app, where that is not the platform's name."""
    group_pattern: ClassVar[str] = "*"
    """What the ids of groups fit; only that, where it is not everything."""
    traits: ClassVar[Traits]
    thumbs: ClassVar[tuple[str, str]] = ("👍", "👎")
    """What the thumbs under an answer are labelled with."""
    mention: str = ""
    """How people address the bot in a group."""
    secrets: tuple[str, ...] = ()
    """What must never stand in a log."""
    patience: float = 10.0
    """How many seconds people wait for what must happen before they go on."""

    def __init__(self, news: Callable[[], None]) -> None:
        self.news = news
        self.clock = LeapingClock()
        """Counts rate limits, on the platform and in the channel."""

    @property
    def section(self) -> str:
        """What the settings call the app: the core knows it by that."""
        return self.named or self.name

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    # The process's side.

    @abstractmethod
    def make_channel(self, services: ChannelServices) -> Channel:
        """The real channel, as a starting process makes it."""

    def hosted(self, channel: Channel) -> AbstractAsyncContextManager[None]:
        """Serves the channel's routes, where it has some."""
        return nullcontext()

    @abstractmethod
    async def unplug(self) -> None:
        """The process dies now: cut what connects it, so that no farewell gets through."""

    @abstractmethod
    async def plug(self) -> None:
        """Connections are possible again, and every trouble is over."""

    # The people's side.

    @abstractmethod
    async def private(self, name: str = "Ann") -> Place:
        """A new place where one person (new, where there can be several) talks to the bot alone."""

    async def group(self, name: str = "Ann") -> Place:
        """A new chat of several people in which the bot hears everything."""
        raise NotImplementedError(f"{self.name} has no groups")

    async def newcomer(self, place: Place, name: str) -> Person:
        """Another person in a group."""
        raise NotImplementedError(f"{self.name} has no groups")

    async def join(self, place: Place, person: Person) -> None:
        """Somebody who is there already comes into a group."""
        raise NotImplementedError(f"{self.name} has no groups")

    async def topics(self, count: int) -> tuple[Place, ...]:
        """The chat itself and `count` new topics in it, all of one person and addressed like a group."""
        raise NotImplementedError(f"{self.name} has no topics")

    async def long_talk(self, count: int) -> Place:
        """A group in which somebody wrote "message 0" and so on, a second apart, before we listened."""
        raise NotImplementedError(f"{self.name} lets us read nothing back")

    async def app_posts(self, place: Place, title: str, text: str) -> None:
        """Another app posts into a place what stands in an attachment or a card, not in words."""
        raise NotImplementedError(f"{self.name} lets us read nothing back")

    def readings(self) -> int:
        """How often we asked the platform what was said."""
        raise NotImplementedError(f"{self.name} lets us read nothing back")

    @abstractmethod
    async def say(self, place: Place, text: str, by: Person | None = None, reply_to: str = "") -> str:
        """Write a text, perhaps in reply to a Shown; returns the id it is shown under."""

    async def call_as_guest(self, text: str) -> Place:
        """Call the bot in a chat that it is no member of; returns the place where it is to answer."""
        raise NotImplementedError(f"{self.name} has no guests")

    async def edit(self, place: Place, said: str, text: str) -> None:
        """Change a text that the place's owner sent; `said` is what `say` returned."""
        raise NotImplementedError(f"{self.name} tells nobody of edits")

    @abstractmethod
    async def attach(self, place: Place, files: Sequence[Upload], text: str = "") -> str:
        """Send files together with a text; more than one only with albums."""

    async def say_aloud(self, place: Place, sound: bytes) -> str:
        """Send a voice message of which the platform itself has understood nothing."""
        raise NotImplementedError(f"{self.name} has no voice messages")

    async def say_understood(self, place: Place, sound: bytes, words: str) -> str:
        """Send a voice message of which the platform itself has understood these words."""
        raise NotImplementedError(f"{self.name} understands no voice messages")

    def understand(self, words: str) -> None:
        """Let the platform hear these words in whatever it is asked about; with "" it refuses to listen."""
        raise NotImplementedError(f"{self.name} recognizes no speech")

    async def bot_says(self, place: Place, text: str) -> None:
        """Another bot writes, and our own bot's message comes back to us."""
        raise NotImplementedError(f"{self.name} shows bots nothing of other bots")

    async def press_stop(self, place: Place) -> None:
        """Press the stop button of the answer that grows there. Raises AssertionError where none is shown."""
        raise NotImplementedError(f"{self.name} has no stop button")

    async def press(self, place: Place, label: str, by: Person | None = None) -> None:
        """Press the button with this label; returns without waiting for what comes of it.

        Raises AssertionError where there is none.
        """
        raise NotImplementedError(f"{self.name} has no buttons")

    async def told(self, place: Place, by: Person | None = None) -> list[str]:
        """What a person was told in private about the buttons that they pressed in a place."""
        raise NotImplementedError(f"{self.name} tells nobody what came of a button")

    async def begin(self, place: Place, text: str) -> Place:
        """Write a text that begins a conversation beside that of a private place; returns its place."""
        raise NotImplementedError(f"{self.name} has one conversation with a person")

    async def command(self, place: Place, text: str) -> None:
        """Give a command of the platform's own kind."""
        raise NotImplementedError(f"{self.name} has no commands of its own")

    def answered_privately(self, place: Place) -> list[str]:
        """What the place's owner was answered to such commands."""
        raise NotImplementedError(f"{self.name} has no commands of its own")

    async def look_at(self, place: Place, where: Place) -> str:
        """Have the owner of a private place look at another; returns the id of what they then look at."""
        raise NotImplementedError(f"{self.name} does not tell what people look at")

    def pondering(self, place: Place) -> str:
        """What the line says by which the platform shows that the bot thinks, "" where there is none."""
        raise NotImplementedError(f"{self.name} has no such line")

    async def redeliver(self) -> None:
        """Hand over everything once more."""
        raise NotImplementedError(f"{self.name} never repeats itself")

    @abstractmethod
    async def look(self, place: Place) -> list[Shown]:
        """What somebody sees now, in the order in which they see it."""

    @abstractmethod
    async def content(self, place: Place, shown: Shown, name: str) -> bytes:
        """The bytes of a file that is shown."""

    @abstractmethod
    def growth(self, place: Place) -> list[str]:
        """Every text that the bot showed, in order of time, edits and previews included."""

    def attempts(self, place: Place) -> list[Attempt]:
        """The calls that tried to show something, in order of time."""
        raise NotImplementedError(f"{self.name} has no rate limits")

    async def previewed(self) -> Place:
        """A place where answers grow by calls of another kind; all of those are refused for an hour."""
        raise NotImplementedError(f"{self.name} counts all of its calls together")

    def menu(self) -> Sequence[str]:
        """The names of the commands that people are offered."""
        raise NotImplementedError(f"{self.name} has no menu")

    # What goes wrong.

    @abstractmethod
    def trouble(self, kind: Trouble, times: int = 1, seconds: float = 1.0) -> None:
        """Let the next `times` calls that show a reply go wrong; `seconds` is the wait asked for or made."""

    @abstractmethod
    def outage(self, seconds: float) -> None:
        """The platform is away for so long."""

    @abstractmethod
    def drop_connection(self) -> None:
        """The connection on which the bot, or the person, hears news breaks."""

    @abstractmethod
    async def rubbish(self, place: Place) -> None:
        """Hand the bot payloads that no platform should send, and some that only look strange."""

    def revoke(self) -> None:
        """From now on our credentials are refused."""
        raise NotImplementedError(f"{self.name} has no credentials")

    def expel(self, place: Place) -> None:
        """Throw the bot out of a place for good."""
        raise NotImplementedError(f"{self.name} cannot expel a bot")
