"""One Parley process around one real channel: everything between the platform and the agent is real."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from parley.agent.files.reader import FileLimits, FileReader
from parley.agent.files.voice_decoder import VoiceDecoder
from parley.app.supervision.channel_names import connect_core
from parley.app.supervision.channel_supervisor import Backoff, ChannelSupervisor
from parley.core.commands.registry import command_infos
from parley.core.hitl.clicks import ClickHandler
from parley.core.inbound.live_turns import LiveTurns
from parley.core.model.bots import BotLimits, TriggerRule
from parley.core.model.options import (
    ASKER,
    ChannelOptions,
    ChatOptions,
    ContextOptions,
    ContextScope,
    CoreOptions,
    DecisionRules,
    EditPolicy,
    MentionPolicy,
    QuestionOptions,
)
from parley.core.model.types import RunMode, SessionSettings
from parley.core.ports.agent import Agent
from parley.core.ports.channel import Channel, ChannelServices
from parley.core.ports.journal import Journal
from parley.core.ports.memory.controls import NO_MEMORY_CONTROLS
from parley.core.ports.memory.past_turns import NO_PAST_TURNS
from parley.core.ports.memory.port import NullMemory
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, MemoryTools
from parley.core.ports.speech import NO_SPEECH, SpeechDecoder, SpeechService
from parley.core.scheduler.manager import Manager
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRepository
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.service import MemoryService
from parley.memory.storage.sql import SqlMemoryStore
from parley.memory.tools.changes import ToolChanges
from parley.memory.tools.run_tokens import RunTokens
from parley.memory.tools.service import ScopedMemoryTools
from tests.contract.driver import Driver
from tests.contract.drivers.pace import count_limits_by
from tests.contract.harness.unreliable_journal import UnreliableJournal
from tests.contract.harness.watched_channel import Watch, WatchedBus, WatchedChannel
from tests.kit.engine import CHOSEN
from tests.kit.machine import patience
from tests.kit.samples.memory_options import memory_options

SECOND = "support"
"""What the settings call the second app."""
_END = patience(4.0)


@dataclass(frozen=True)
class Seed:
    """A fault put into every process of a scene: what takes the place of its sound parts."""

    channel: Callable[[Channel, Driver], Channel] = lambda channel, driver: channel
    journal: Callable[[Journal], Journal] = lambda journal: journal


SOUND = Seed()


@dataclass(frozen=True)
class Setting:
    """What a promise wants set otherwise: seconds, bytes, who may talk and decide, whether edits count,
    what a mention brings, whether speakers are named, and which messages of a group are for us.

    `routed` gives groups an agent of their own, that hears everything; `bots` are heard, and what has `wakes`
    in it needs no mention. With `hears` there is a transcription service, with `asks_platform` the platform
    is asked first; with `feedback` answers may be rated, with `remembers` there is a memory, and with `twice`
    a second app of the platform.
    """

    burst_window: float = 0.0
    max_file: int = 1_000_000
    allowed: frozenset[str] = frozenset({"*"})
    deciders: frozenset[str] = frozenset({ASKER})
    reruns: bool = False
    context: ContextScope = ContextScope.OFF
    speakers: bool = False
    mention: MentionPolicy = MentionPolicy.REQUIRED
    routed: bool = False
    bots: frozenset[str] = frozenset()
    wakes: str = ""
    hears: bool = False
    asks_platform: bool = False
    feedback: bool = False
    remembers: bool = False
    twice: bool = False

    def options(self, group: str) -> ChannelOptions:
        """The settings of a channel whose groups' ids have this pattern."""
        own = ChatOptions(
            mention=MentionPolicy.NEVER, mode=RunMode.WAIT, session=SessionSettings("group-agent")
        )
        wakes = self.wakes
        return ChannelOptions(
            SessionSettings("agent", speakers=self.speakers),
            allowed_users=self.allowed,
            burst_window=self.burst_window,
            mention=self.mention,
            on_edit=EditPolicy.RERUN if self.reruns else EditPolicy.IGNORE,
            earlier=ContextOptions(self.context),
            chats={group: own} if self.routed else {},
            bots=self.bots,
            feedback=self.feedback,
            bot_limits=BotLimits(per_minute=60, in_a_row=2),
            triggers=(TriggerRule(lambda text: wakes in text),) if wakes else (),
        )


@dataclass
class Process:
    """A running process. `hosting` holds what it has open besides its tasks; these have `patience` seconds,
    and never less than `_END`, to end.
    """

    journal: UnreliableJournal
    supervisors: Sequence[ChannelSupervisor]
    tasks: list[asyncio.Task[None]]
    patience: float
    tools: MemoryTools = NO_MEMORY_TOOLS
    hosting: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def supervisor(self) -> ChannelSupervisor:
        """That of the first app, which is the only one in most scenes."""
        return self.supervisors[0]

    async def end(self) -> None:
        """Cancel everything, as the end of the event loop would. Raises AssertionError if something stays."""
        for task in self.tasks:
            task.cancel()
        _, left = await asyncio.wait(self.tasks, timeout=max(self.patience, _END))
        await self.hosting.aclose()
        for task in left:
            task.cancel()
        assert not left, "cancelled, but still running: " + ", ".join(task.get_name() for task in left)


@dataclass(frozen=True)
class Surroundings:
    """What outlives a process. `patience`: how many seconds something that must happen may take.

    A second driver of the same platform is that of a section with the name SECOND and a `type:`.
    """

    drivers: Sequence[Driver]
    agent: Agent
    folder: Path
    watch: Watch
    seed: Seed
    setting: Setting
    patience: float
    speech: SpeechService = NO_SPEECH


async def start(around: Surroundings) -> Process:
    """A new process on whatever an earlier one left in the folder."""
    stack = AsyncExitStack()
    store = await stack.enter_async_context(CHOSEN.engine().open(around.folder))
    journal = UnreliableJournal(around.seed.journal(store), around.watch.news)
    made = [_channel(around, journal, number) for number in range(len(around.drivers))]
    channels, setting = {channel.name: channel for channel in made}, around.setting
    options = dict.fromkeys(channels, setting.options(around.drivers[0].group_pattern))
    deaf = [channel.name for channel in made if not channel.capabilities.history]
    bus = WatchedBus(journal, options, around.watch, deaf)
    comments = {name: each.capabilities.comments for name, each in channels.items()}
    conversations = await ConversationRepository.open(journal)
    clicks = ClickHandler(journal, options, conversations.turn_id, bus.publish_inbound, comments=comments)
    supervisors = [
        ChannelSupervisor(channel, bus.publish_inbound, clicks.submit, Backoff(first=0.05, most=0.2))
        for channel in made
    ]
    core_options = CoreOptions(
        channels=options,
        max_file=setting.max_file,
        questions=QuestionOptions(DecisionRules(tuple(setting.deciders))),
    )
    memory = _memory(journal) if setting.remembers else None
    tools = await _tools(memory, journal, conversations) if memory else NO_MEMORY_TOOLS
    services = CoreServices(
        journal=journal,
        bus=bus,
        agent=around.agent,
        memory=memory or NullMemory(),
        memory_controls=memory.controls if memory else NO_MEMORY_CONTROLS,
        past_turns=memory.past_turns if memory else NO_PAST_TURNS,
        memory_tools=tools,
        people=PersonRepository(journal, time.time),
        conversations=conversations,
        channels=channels,
        options=core_options,
        files=around.folder / "files",
        reports=lambda: [each.report() for each in supervisors],
        clock=time.time,
        pairing=Pairing(journal, time.time),
        speech=around.speech,
    )
    for driver, channel in zip(around.drivers, made, strict=True):
        await stack.enter_async_context(driver.hosted(channel))
    tasks = [asyncio.create_task(each.run(), name="listen()") for each in supervisors]
    tasks.append(asyncio.create_task(Manager(services).run(), name="the manager"))
    return Process(journal, supervisors, tasks, around.patience, tools, stack)


def _memory(journal: UnreliableJournal) -> MemoryService:
    """The product's memory, in the store; nothing is learned, as nobody runs it."""
    store = SqlMemoryStore(journal)
    return MemoryService(store, journal, RuleExtractor(), memory_options(), time.time)  # type: ignore[arg-type]


async def _tools(
    memory: MemoryService, journal: UnreliableJournal, conversations: ConversationRepository
) -> MemoryTools:
    """The product's tools on it."""
    turns, tokens = LiveTurns(journal, conversations), await RunTokens.open(journal, time.time)
    return ScopedMemoryTools(memory, turns, tokens, ToolChanges(journal), "", time.time)


def _decoder() -> SpeechDecoder:
    """The product's, in a process of its own."""
    return VoiceDecoder(FileReader(FileLimits(seconds=patience(20))), 20_000_000, 300.0)


def _channel(around: Surroundings, journal: UnreliableJournal, number: int) -> Channel:
    """The channel of an app, made and named as the product makes and names it."""
    driver = around.drivers[number]
    name = SECOND if number else driver.section
    folder = around.folder / name
    folder.mkdir(exist_ok=True)
    services = ChannelServices(
        journal,
        folder,
        command_infos(),
        reruns=lambda: around.setting.reruns,
        name=name,
        rules=around.setting.options(driver.group_pattern).at,
        decoder=_decoder() if around.setting.asks_platform else NO_SPEECH,
    )
    made = driver.make_channel(connect_core(services, journal))
    made.name, made.platform = name, driver.name
    count_limits_by(driver.clock, made)
    return WatchedChannel(around.seed.channel(made, driver), around.watch)
