"""A core with a real memory and its tools, and an agent that calls them while its run goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from parley.core.inbound.live_turns import LiveTurns
from parley.core.model.address import Conversation, User
from parley.core.model.types import Json, Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.ports.agent import Agent
from parley.core.scheduler.manager import Manager
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.tools.changes import ToolChanges
from parley.memory.tools.run_tokens import RunTokens
from parley.memory.tools.service import ScopedMemoryTools
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core
from tests.kit.waiting import until

ANN, BOB = User("test", "ann", "Ann"), User("test", "bob", "Bob")
GROUP = Conversation("test", "group")
QUIET = MemoryOptions(debounce_seconds=300, max_wait=600)
"""Nothing is learned by itself while a test goes on."""

Work = Callable[[str], Awaitable[object]]


@dataclass
class Scene:
    """A core, its memory, the tools, and what the agent does in its next run with the run's token."""

    core: Core
    memory: MemoryService
    tools: ScopedMemoryTools
    work: Work
    results: list[object] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    async def turn(self, work: Work, text: str, **changes: object) -> object:
        """Let somebody say this, and the agent do that; returns what it came to."""
        self.work = work
        before = len(self.core.channel.finals)
        await self.core.say(text, **changes)
        await self.core.channel.until_finals(before + 1)
        place = changes.get("conversation", Conversation("test", "chat"))
        assert isinstance(place, Conversation)
        await until(lambda: self.core.nothing_waits("turns/test", place.key), "the turn is over")
        return self.results[-1]

    async def call(self, tool: str, said: str, *, sender: User = ANN, **arguments: Json) -> dict[str, Json]:
        """What a tool returns in a private turn."""
        return await self._called(tool, arguments, said, sender=sender, conversation=home(sender))

    async def call_in_group(
        self, tool: str, said: str, *, sender: User = ANN, **arguments: Json
    ) -> dict[str, Json]:
        """What a tool returns in a turn where others listen."""
        return await self._called(tool, arguments, said, sender=sender, conversation=GROUP, private=False)

    async def _called(
        self, tool: str, arguments: Mapping[str, Json], said: str, **changes: object
    ) -> dict[str, Json]:
        found = await self.turn(lambda token: self.tools.call(token, tool, arguments), said, **changes)
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, dict)
        return found

    @property
    def answer(self) -> str:
        """The last answer."""
        return self.core.channel.finals[-1].text


def home(user: User) -> Conversation:
    return Conversation("test", "chat" if user == ANN else f"chat of {user.id}")


@asynccontextmanager
async def scene(
    folder: Path,
    options: MemoryOptions = QUIET,
    *,
    on: bool = True,
    agent: Callable[[ScopedMemoryTools], AbstractAsyncContextManager[Agent]] | None = None,
    channel: RecordingChannel | None = None,
) -> AsyncIterator[Scene]:
    """A core that works in `folder`, whose agent does what each turn of the test says."""
    made: list[Scene] = []

    async def script(double: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        here, token = made[0], str(request.tools.get("token", ""))
        here.tokens.append(token)
        try:
            here.results.append(await here.work(token))
        except Exception as error:  # noqa: BLE001 - the test looks at it
            here.results.append(error)
        yield RunEnded(Outcome.ANSWERED, "done")

    async with AsyncExitStack() as stack:
        parley = await stack.enter_async_context(
            core(folder, agent=ScriptedAgent(script), channel=channel, working=False)
        )
        journal, clock = parley.journal, parley.services.clock
        memory = MemoryService(FileMemoryStore(folder / "memory"), journal, RuleExtractor(), options)
        tools = ScopedMemoryTools(
            memory,
            LiveTurns(journal, parley.services.conversations),
            await RunTokens.open(journal, clock),
            ToolChanges(journal),
            "http://127.0.0.1:8765/mcp",
            clock,
            on=on,
        )
        services = replace(parley.services, memory=memory, past_turns=memory.past_turns, memory_tools=tools)
        if agent is not None:
            services = replace(services, agent=await stack.enter_async_context(agent(tools)))
        parley.manager = Manager(services)
        parley.task = asyncio.create_task(parley.manager.run())

        async def nothing(token: str) -> object:
            return None

        made.append(Scene(parley, memory, tools, nothing))
        yield made[0]
