"""What a promise is about: a platform with its people, a Parley on it, and an agent behind that."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from parley.agent.speech.options import TranscriptionOptions, VoiceOptions
from parley.agent.speech.service import open_speech
from parley.core.ports.speech import NO_SPEECH, SpeechService
from tests.contract.driver import Driver, Person, Place, Shown
from tests.contract.harness.change_signal import ChangeSignal
from tests.contract.harness.parley_process import SOUND, Process, Seed, Setting, Surroundings, start
from tests.contract.harness.scripted_agent import ContractAgent
from tests.contract.harness.unreliable_journal import UnreliableJournal
from tests.contract.harness.watched_channel import Watch
from tests.kit.doubles.speech_service import SpeechServer, speech_server
from tests.kit.machine import patience

_USUAL = Setting()
_PATIENCE = patience(10.0)


class Log(logging.Handler):
    """Every record from INFO on, as an operator could read it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


class Scene:
    """Platform, agent and disk live as long as the scene; processes come and go.

    `others` has the second app of a setting with two, `ears` is the transcription service of one that has it.
    `longest_wait` is how many seconds the slowest thing took that was waited for, the end of a process among
    them.
    """

    def __init__(
        self, around: Surroundings, agent: ContractAgent, news: ChangeSignal, ears: SpeechServer
    ) -> None:
        self.driver, *others = around.drivers
        self.others: tuple[Driver, ...] = tuple(others)
        self.watch: Watch = around.watch
        self.folder: Path = around.folder
        self.agent = agent
        self.ears = ears
        self.log = Log()
        self.longest_wait = 0.0
        self._around = around
        self._news = news
        self._process: Process | None = None
        self._before: set[asyncio.Task[object]] = set()

    @property
    def process(self) -> Process:
        """The running process."""
        assert self._process is not None
        return self._process

    @property
    def journal(self) -> UnreliableJournal:
        """The running process's store."""
        return self.process.journal

    async def start(self) -> None:
        """Start a process on what is on the disk; it listens when this returns, unless it is refused."""
        self._before = asyncio.all_tasks()
        self._process = await start(self._around)

    async def listening(self) -> None:
        """Return once the channel says that it is connected."""
        every = self.process.supervisors
        await self.until(lambda: all(each.report().health == "up" for each in every), "the channel is up")

    async def stop(self) -> None:
        """End the process. Raises AssertionError when its channel does not end."""
        if self._process is not None:
            process, self._process = self._process, None
            with self._timed():
                await process.end()

    async def crash(self) -> None:
        """End the process like kill -9: from this instant on it reaches neither disk nor platform."""
        self.journal.die()
        for driver in (self.driver, *self.others):
            await driver.unplug()
        gone = asyncio.all_tasks() - self._before - {asyncio.current_task()}
        await self.stop()
        for task in gone:
            task.cancel()
        await asyncio.gather(*gone, return_exceptions=True)
        for driver in (self.driver, *self.others):
            await driver.plug()

    async def restart(self) -> None:
        """Crash, and start again."""
        await self.crash()
        await self.start()

    async def restart_for(self, *people: Person) -> None:
        """Start again, and from then on let only these people talk."""
        await self.crash()
        allowed = frozenset(person.id for person in people)
        self._around = replace(self._around, setting=replace(self._around.setting, allowed=allowed))
        await self.start()

    async def until(self, true: Callable[[], object | Awaitable[object]], what: str) -> None:
        """Wait until `true` (which may be asynchronous) holds. Raises AssertionError in the end."""

        async def look() -> bool:
            found = true()
            return bool(await found) if isinstance(found, Awaitable) else bool(found)

        with self._timed():
            await self._news.until(look, self._around.patience, what)

    async def until_asked(self, number: int = 1) -> None:
        """Wait for the agent's `number`th request."""
        await self.until(
            lambda: len(self.agent.requests) >= number, f"request {number} of {self.agent.texts}"
        )

    async def until_done(self, place: Place, number: int = 1) -> None:
        """Wait until this process has finished `number` turns of a place, delivered or set aside."""
        key = place.conversation.key
        await self.until(lambda: self.journal.finished[key] >= number, f"{number} turns done in {key}")

    async def until_shows(self, place: Place, text: str) -> None:
        """Wait until a message of the bot, finished or growing, has `text` in it."""

        async def shows() -> bool:
            return any(shown.by_bot and text in shown.text for shown in await self.driver.look(place))

        await self.until(shows, f"{text[:80]!r} to be shown")

    async def until_buttons(self, place: Place, labels: Sequence[str]) -> Shown:
        """Wait until a message of the bot has exactly these buttons; returns it."""
        await self.until(lambda: self._with(place, labels), f"the buttons {labels}")
        (found,) = await self._with(place, labels)
        return found

    async def until_settled(self, place: Place, question: Shown) -> str:
        """Wait until the message of a question has lost its buttons; returns what it says then."""

        async def settled() -> list[str]:
            now = [each for each in await self.driver.look(place) if each.id == question.id]
            return [each.text for each in now if not each.buttons]

        await self.until(settled, "the question to be settled")
        (text,) = await settled()
        return text

    async def shown(self, place: Place) -> list[Shown]:
        """What the bot has written in a place, but for what still grows."""
        return [each for each in await self.driver.look(place) if each.by_bot and not each.growing]

    async def answers(self, place: Place) -> list[str]:
        """The texts of what the bot has written in a place."""
        return [shown.text for shown in await self.shown(place)]

    async def ask(self, place: Place, text: str, number: int = 1) -> list[str]:
        """Say something and wait for the `number`th turn to be done; returns the answers so far."""
        await self.driver.say(place, text)
        await self.until_done(place, number)
        return await self.answers(place)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.longest_wait = max(self.longest_wait, time.monotonic() - began)

    async def _with(self, place: Place, labels: Sequence[str]) -> list[Shown]:
        return [each for each in await self.driver.look(place) if each.buttons == tuple(labels)]

    def to_bot(self, text: str) -> str:
        """Words as people address the bot with where several talk."""
        return f"{self.driver.mention} {text}".strip()


@asynccontextmanager
async def _hearing(setting: Setting) -> AsyncIterator[tuple[SpeechServer, SpeechService]]:
    """A transcription service and the product's own client of it, where the setting has one."""
    if not setting.hears:
        yield SpeechServer(), NO_SPEECH
        return
    async with speech_server() as ears:
        options = TranscriptionOptions(ears.url, "whisper-1")
        async with open_speech(options, VoiceOptions()) as speech:
            yield ears, speech


@asynccontextmanager
async def scene(
    driver: type[Driver],
    folder: Path,
    *,
    setting: Setting = _USUAL,
    seed: Seed = SOUND,
    patience: float = _PATIENCE,
) -> AsyncIterator[Scene]:
    """A scene with a running process; leaving it ends everything.

    Nothing is waited for longer than `patience` seconds.
    """
    news = ChangeSignal()
    agent = ContractAgent(news.tell)
    async with AsyncExitStack() as stack:
        ears, speech = await stack.enter_async_context(_hearing(setting))
        apps = [await stack.enter_async_context(driver(news.tell)) for _ in range(1 + setting.twice)]
        for platform in apps:
            platform.patience = patience
        around = Surroundings(apps, agent, folder, Watch(news.tell), seed, setting, patience, speech)
        made = Scene(around, agent, news, ears)
        root, level = logging.getLogger(), logging.getLogger().level
        root.addHandler(made.log)
        root.setLevel(logging.INFO)
        try:
            await made.start()
            await made.listening()
            yield made
        finally:
            try:
                await made.stop()
            finally:
                root.removeHandler(made.log)
                root.setLevel(level)
