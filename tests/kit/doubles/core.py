"""A channel that records, an agent that follows a script, and a Parley core around them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from parley.core.hitl.clicks import ClickHandler
from parley.core.inbound.bus import MessageBus
from parley.core.inbound.busy_policy_cache import BusyPolicyCache
from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.errors import ChannelError, MemoryFailed
from parley.core.model.options import ChannelOptions, CoreOptions
from parley.core.model.types import (
    CompletedTurn,
    InboundMessage,
    OutboundMessage,
    Outcome,
    Receipt,
    ReplyTarget,
    RunEnded,
    RunEvent,
    RunProgress,
    RunRef,
    RunRequest,
    RunStarted,
    SessionSettings,
)
from parley.core.ports.agent import AssistantInfo
from parley.core.ports.channel import Capabilities, Channel, Checkpoint, Inbox, Reply
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.memory.controls import ExportShape, ImportPreview, ImportResult, ToldMemory
from parley.core.ports.memory.port import (
    NO_ORIGIN,
    AccountUnlink,
    FactOrigin,
    FactView,
    MemoryNotices,
    MemoryView,
    MergeOutcome,
    NullMemory,
    RecallQuery,
    UndoResult,
)
from parley.core.scheduler.manager import Manager
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRepository
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from tests.kit.machine import patience
from tests.kit.waiting import until

_numbers = count(1)


def message(text: str = "hello", **changes: object) -> InboundMessage:
    """A private message from Ann, with an id of its own."""
    values: dict[str, object] = {
        "id": f"m{next(_numbers)}",
        "conversation": Conversation("test", "chat"),
        "sender": User("test", "ann", "Ann"),
        "text": text,
        "addressed": True,
        "private": True,
        "sent_at": time.time(),
    }
    return InboundMessage(**(values | changes))  # type: ignore[arg-type]


class RecordingReply(Reply):
    def __init__(self, channel: RecordingChannel, target: ReplyTarget, checkpoint: Checkpoint) -> None:
        self.channel, self.target, self.checkpoint = channel, target, checkpoint

    async def show(self, snapshot: OutboundMessage) -> None:
        if self.channel.show_gate is not None:
            await self.channel.show_gate.wait()
        if self.channel.show_errors:
            raise self.channel.show_errors.pop(0)
        self.channel.shown.append(snapshot)
        self.channel.news.set()

    async def show_waiting(self, *, waits: bool) -> None:
        if self.channel.waiting_errors:
            raise self.channel.waiting_errors.pop(0)
        self.channel.waiting.append((self.target.reply_to, waits))
        self.channel.news.set()

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        await self.checkpoint(f"handle of {snapshot.turn_id}")
        self.channel.finishing.set()
        if self.channel.finish_errors:
            raise self.channel.finish_errors.pop(0)
        if self.channel.finish_gate is not None:
            await self.channel.finish_gate.wait()
        self.channel.finals.append(snapshot)
        self.channel.news.set()
        return Receipt((snapshot.turn_id,))

    async def settle(self, snapshot: OutboundMessage) -> None:
        self.channel.settled.append((self.target.handle, snapshot))
        self.channel.news.set()


class RecordingChannel(Channel):
    """Keeps what it is told to show; errors and gates make it as slow or broken as a test wants."""

    name = "test"

    def __init__(self) -> None:
        self.capabilities = Capabilities(4000, 0.0, 0.0, buttons=False)
        self.history: list[EarlierMessage] = []
        self.history_errors: list[ChannelError] = []
        self.history_gate: asyncio.Event | None = None
        self.history_requests: list[HistoryRequest] = []
        self.targets: list[ReplyTarget] = []
        self.shown: list[OutboundMessage] = []
        self.finals: list[OutboundMessage] = []
        self.settled: list[tuple[str, OutboundMessage]] = []
        self.show_errors: list[ChannelError] = []
        self.finish_errors: list[ChannelError] = []
        self.waiting: list[tuple[str, bool]] = []
        self.waiting_errors: list[ChannelError] = []
        self.show_gate: asyncio.Event | None = None
        self.finish_gate: asyncio.Event | None = None
        self.finishing = asyncio.Event()
        self.news = asyncio.Event()

    async def listen(self, inbox: Inbox) -> None:
        inbox.online()
        await asyncio.Event().wait()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        self.targets.append(target)
        return RecordingReply(self, target, checkpoint)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        data = attachment.handle.encode()
        await asyncio.to_thread(into.write_bytes, data)
        return len(data)

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        self.history_requests.append(request)
        self.news.set()
        if self.history_gate is not None:
            await self.history_gate.wait()
        if self.history_errors:
            raise self.history_errors.pop(0)
        return self.history

    @property
    def texts(self) -> list[str]:
        return [final.text for final in self.finals]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait, looking at each thing shown, until the condition holds. Raises AssertionError."""
        try:
            async with asyncio.timeout(patience(20)):
                while not condition():
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError as error:
            raise AssertionError(f"waited in vain; the finals are {self.texts}") from error

    async def until_finishing(self) -> None:
        """Wait until a final is on its way; the next call waits for another."""
        async with asyncio.timeout(patience(20)):
            await self.finishing.wait()
        self.finishing.clear()

    async def until_finals(self, number: int) -> list[str]:
        await self.until(lambda: len(self.finals) >= number)
        return self.texts


NO_EVENTS: tuple[RunEvent, ...] = ()
"""What a script yields that only raises: every script is an asynchronous generator."""
Script = Callable[["ScriptedAgent", RunRequest], AsyncIterator[RunEvent]]


async def echo(agent: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
    """Says what it was told, in two steps."""
    yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
    yield RunProgress("you", ())
    yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")


class ScriptedAgent:
    """Follows `script`; keeps the requests and the cancelled runs."""

    def __init__(self, script: Script = echo) -> None:
        self.script = script
        self.requests: list[RunRequest] = []
        self.cancelled: list[RunRef] = []
        self.cancel_seen = asyncio.Event()
        self.offered: tuple[AssistantInfo, ...] = tuple(
            AssistantInfo(name, name, name) for name in ("agent", "writer")
        )
        self.asked = asyncio.Event()

    async def until_asked(self) -> None:
        """Wait for the first request."""
        async with asyncio.timeout(patience(20)):
            await self.asked.wait()

    async def run(self, request: RunRequest) -> AsyncIterator[RunEvent]:
        self.requests.append(request)
        self.asked.set()
        async for event in self.script(self, request):
            yield event

    async def cancel(self, run: RunRef, turn: str = "") -> None:
        self.cancelled.append(run)
        self.cancel_seen.set()

    async def models(self) -> tuple[str, ...]:
        return ("small", "large")

    async def assistants(self) -> tuple[AssistantInfo, ...]:
        return self.offered

    async def health(self) -> HealthReport:
        return HealthReport("agent", Health.UP, "", 0.0)


class RecordingMemory(NullMemory):
    """Recalls one line about everybody, keeps the turns, and holds what people tell it to."""

    enabled = True

    def __init__(self) -> None:
        self.turns: list[CompletedTurn] = []
        self.occasions: list[RecallQuery] = []
        self.held: dict[str, list[FactView]] = {}
        self.off: set[str] = set()
        self.broken = ""
        self.undone = UndoResult.NOTHING
        self.learner = ""
        self.noted = MemoryNotices()
        self._news = asyncio.Event()

    async def until_turns(self, count: int) -> list[CompletedTurn]:
        async with asyncio.timeout(patience(20)):
            while len(self.turns) < count:
                self._news.clear()
                await self._news.wait()
        return self.turns

    async def recall(self, occasion: RecallQuery) -> str:
        self.occasions.append(occasion)
        return f"knows {occasion.person}"

    async def record(self, turn: CompletedTurn) -> None:
        self.turns.append(turn)
        self._news.set()

    async def notices(self, person: str, said: str, *, private: bool) -> MemoryNotices:
        return self.noted

    async def overview(self, person: str) -> MemoryView:
        if self.broken:
            raise MemoryFailed(self.broken)
        facts = self.held.get(person, [])
        summaries = (("workContext", "Builds bridges."),) if facts else ()
        return MemoryView(person not in self.off, summaries, tuple(facts), 1, learner=self.learner)

    async def search(self, person: str, words: str) -> tuple[FactView, ...]:
        return tuple(fact for fact in self.held.get(person, []) if words in fact.content)

    async def add(
        self, person: str, content: str, account: str = "", origin: FactOrigin = NO_ORIGIN
    ) -> FactView:
        held = self.held.setdefault(person, [])
        fact = FactView(f"fact_{len(held)}", content, "context", 1.0, "", "manual", origin=origin)
        held.append(replace(fact, accounts=(account,) if account else ()))
        return held[-1]

    async def edit(
        self, person: str, fact_id: str, content: str, author: str = "", origin: FactOrigin = NO_ORIGIN
    ) -> FactView | None:
        held = self.held.get(person, [])
        self.held[person] = [replace(fact, content=content) if fact.id == fact_id else fact for fact in held]
        return next((fact for fact in self.held[person] if fact.id == fact_id), None)

    async def keep(self, person: str, fact_id: str) -> FactView | None:
        return next((fact for fact in self.held.get(person, []) if fact.id == fact_id), None)

    async def told(self, query: RecallQuery) -> ToldMemory | None:
        return None

    async def import_text(self, person: str, text: str) -> ImportResult:
        for line in text.splitlines():
            await self.add(person, line)
        return ImportResult(added=len(text.splitlines()))

    async def preview_import(self, person: str, text: str) -> ImportPreview:
        lines = text.splitlines()
        return ImportPreview(ImportResult(added=len(lines)), tuple(lines))

    async def recall_team(self, team: str, messages: Sequence[str]) -> str:
        return "\n".join(fact.content for fact in self.held.get(team, []))

    async def withdraw(self, team: str, accounts: Sequence[str]) -> int:
        held = self.held.get(team, [])
        self.held[team] = [fact for fact in held if not set(accounts) & set(fact.accounts)]
        return len(held) - len(self.held[team])

    async def forget(self, person: str, words: str) -> tuple[FactView, ...]:
        gone = [fact for fact in self.held.get(person, []) if words in (fact.id, fact.content)]
        self.held[person] = [fact for fact in self.held.get(person, []) if fact not in gone]
        return tuple(gone)

    async def forgettable(self, person: str, words: str) -> tuple[FactView, ...]:
        return tuple(fact for fact in self.held.get(person, []) if words in (fact.id, fact.content))

    async def undo(self, person: str) -> UndoResult:
        return self.undone

    async def switch(self, person: str, on: bool) -> None:
        (self.off.discard if on else self.off.add)(person)

    async def export(self, person: str, shape: ExportShape = ExportShape.PARLEY) -> str:
        return json.dumps([fact.content for fact in self.held.get(person, [])])

    async def clear(self, person: str) -> int:
        return len(self.held.pop(person, []))

    async def merge(self, source: str, into: str, account: str = "") -> MergeOutcome:
        facts = [replace(fact, source=account) for fact in self.held.pop(source, [])]
        self.held.setdefault(into, []).extend(facts)
        return MergeOutcome(len(facts), 0)

    async def part(self, person: str, into: str, parting: AccountUnlink) -> int:
        held = self.held.get(person, [])
        gone = [fact for fact in held if fact.source == parting.account]
        self.held[person] = [fact for fact in held if fact not in gone]
        self.held.setdefault(into, []).extend(gone)
        return len(gone)


def default_options(**changes: object) -> CoreOptions:
    channel = ChannelOptions(
        SessionSettings("agent"), allowed_users=frozenset({"ann", "bob"}), burst_window=0.0
    )
    values: dict[str, object] = {"channels": {"test": channel}, "shutdown_grace": 1.0}
    return CoreOptions(**(values | changes))  # type: ignore[arg-type]


@dataclass
class Core:
    """A running core, and a hand on everything around it."""

    journal: Store
    bus: MessageBus
    clicks: ClickHandler
    manager: Manager
    agent: ScriptedAgent
    channel: RecordingChannel
    memory: RecordingMemory
    services: CoreServices
    task: asyncio.Task[None] | None = None
    kept: list[str] = field(default_factory=list)

    async def say(self, text: str = "hello", **changes: object) -> bool:
        return await self.bus.publish_inbound(message(text, **changes))

    async def nothing_waits(self, queue: str, lane: str = "test:chat") -> bool:
        """Whether all of a lane is worked."""
        return not await self.journal.waiting(queue, lane)

    async def crash(self) -> None:
        """End the manager as a kill would: no drain, no word to anybody."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


def work(parley: Core, clock: Callable[[], float], options: CoreOptions | None = None) -> Manager:
    """Begin to work, at the clock's time, on what was accepted."""
    chosen = options or parley.services.options
    services = replace(parley.services, clock=clock, options=chosen)
    parley.manager = Manager(services)
    parley.task = asyncio.create_task(parley.manager.run())
    return parley.manager


class LastMoment:
    """The time of who gathers a burst: always just before the window's end, so that it goes on to look for
    more, until it is told to `pass_by`.
    """

    def __init__(self, began: float, window: float) -> None:
        self.now = began + window - 0.02
        self.reads = 0

    def __call__(self) -> float:
        self.reads += 1
        return self.now

    async def pass_by(self) -> None:
        """End the window, once all that came so far is seen."""
        reads = self.reads
        # The first look may have begun before the last message came.
        await until(lambda: self.reads >= reads + 2, "the burst is looked at again")
        self.now += 1


@asynccontextmanager
async def bursting(folder: Path, channel: ChannelOptions) -> AsyncIterator[tuple[Core, LastMoment]]:
    """A core whose windows end when the test says so, and what it says that to."""
    began, window = time.time(), 600.0
    options = default_options(channels={"test": replace(channel, burst_window=window)}, backlog_rate=0.0)
    async with core(folder, options=options, working=False, clock=lambda: began) as parley:
        clock = LastMoment(began, window)
        work(parley, clock)
        yield parley, clock


@asynccontextmanager
async def core(
    folder: Path,
    *,
    agent: ScriptedAgent | None = None,
    channel: RecordingChannel | None = None,
    options: CoreOptions | None = None,
    working: bool = True,
    clock: Callable[[], float] = time.time,
) -> AsyncIterator[Core]:
    """A core over a store in `folder`; opened again on the same folder it goes on where it was."""
    agent, channel = agent or ScriptedAgent(), channel or RecordingChannel()
    options = options or default_options()
    async with (
        SqliteStore.open(folder / "parley.db", clock=clock) as journal,
        core_on(journal, folder, agent, channel, options, working, clock) as made,
    ):
        yield made


@asynccontextmanager
async def core_on(
    journal: Store,
    folder: Path,
    agent: ScriptedAgent,
    channel: RecordingChannel,
    options: CoreOptions,
    working: bool = True,
    clock: Callable[[], float] = time.time,
) -> AsyncIterator[Core]:
    """A core over a store that is open: one node of those that share it."""
    memory, pairing = RecordingMemory(), await Pairing.open(journal, time.time)
    deaf = () if channel.capabilities.history else ("test",)
    bus = MessageBus(journal, options.channels, pairing, BusyPolicyCache(journal, journal.news), deaf)
    services = CoreServices(
        journal=journal,
        bus=bus,
        agent=agent,
        memory=memory,
        memory_controls=memory,
        people=PersonRepository(journal, time.time),
        conversations=await ConversationRepository.open(journal),
        channels={"test": channel},
        options=options,
        files=folder / "files",
        reports=lambda: [HealthReport("test", Health.UP, "", 0.0)],
        clock=clock,
        pairing=pairing,
    )
    manager = Manager(services)
    clicks = ClickHandler(
        journal,
        options.channels,
        services.conversations.turn_id,
        bus.publish_inbound,
        pairing,
        comments={"test": channel.capabilities.comments},
    )
    made = Core(journal, bus, clicks, manager, agent, channel, memory, services)
    if working:
        made.task = asyncio.create_task(manager.run())
    try:
        yield made
    finally:
        if made.task is not None:
            await made.crash()
