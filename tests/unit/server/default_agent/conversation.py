"""A conversation over a channel with the built-in agent, whose model says what a test has written down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import Conversation
from parley.core.model.types import OutboundMessage
from parley.core.scheduler.manager import Manager
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.graphs.projects import Project
from parley.server.options import DefaultAgentOptions, EmbeddedOptions, ModelOptions
from tests.kit.doubles.core import Core, core
from tests.kit.doubles.llm_provider import Provider, provider
from tests.kit.waiting import until
from tests.unit.server.default_agent.scripted_model import Said


@dataclass
class Talk:
    """A chat with the agent."""

    core: Core
    model: Provider

    async def say(self, text: str, *answers: Said, chat: str = "chat", **changes: object) -> OutboundMessage:
        """Say this, and have the model answer so; returns the reply."""
        if answers:
            self.model.answers[:] = answers
        before = len(self.core.channel.finals)
        place = Conversation("test", chat)
        await self.core.say(text, conversation=place, **changes)
        await self.core.channel.until_finals(before + 1)
        await until(lambda: self.core.nothing_waits("turns/test", place.key), "the turn is over")
        return self.core.channel.finals[before]

    async def until_asked(self, words: str) -> None:
        """Return once a question with these words was shown."""
        await self.core.channel.until(lambda: any(words in final.text for final in self.core.channel.finals))


@asynccontextmanager
async def conversation(
    folder: Path, options: DefaultAgentOptions, *, vision: bool | None = None
) -> AsyncIterator[Talk]:
    """Open it; the tools of `options` are looked for in `folder`. The model sees pictures if it says so."""
    async with provider() as model, core(folder, working=False) as parley:
        chosen = EmbeddedOptions(
            folder / "agent.sqlite",
            models=(ModelOptions("m", "openai:m", model.url, "key", max_retries=0, vision=vision),),
            default_agent=options,
            project=Project(folder),
        )
        async with (
            embedded_server(chosen) as server,
            LangGraphAgent(
                AgentEndpoint("http://embedded", "", {}, one_place=True),
                files=folder,
                transport=StreamingASGITransport(server),
            ) as agent,
        ):
            parley.manager = Manager(replace(parley.services, agent=agent))
            parley.task = asyncio.create_task(parley.manager.run())
            yield Talk(parley, model)
