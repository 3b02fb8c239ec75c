"""The embedded server: opened, and what can be changed of it while it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx
import uvloop
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from parley.app.composition.embedded.commands import CommandAudit
from parley.app.composition.embedded.options import embedded_options
from parley.app.composition.embedded.sign_ins import open_sign_ins, sign_in_routes
from parley.app.process.import_blocker import block_imports
from parley.app.settings.addresses import sign_in_address
from parley.app.settings.load import LoadedSettings
from parley.core.ports.journal import DocumentRepository
from parley.core.ports.memory.tools import MemoryTools
from parley.server.accounts.sign_ins import SignIns
from parley.server.app import embedded_server, reload_graphs
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.loop_thread import threaded_server
from parley.server.options import EmbeddedOptions

_FOR_CODE_OF_USERS = ("openai._vendor.httpx_aiohttp",)
"""OpenAI's client over aiohttp, which langchain-openai does not use: 9 MB."""


class _Graphs(Protocol):
    """The graphs of a running server, which can be loaded anew."""

    async def reload_graphs(self, options: EmbeddedOptions) -> None:
        """Load the graphs of these options. Raises ConfigError; the old ones stay then."""
        ...

    def graph_files(self) -> tuple[Path, ...]:
        """Return the files of users' code that they are made of."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """The server that lives inside, and what it shares with the rest of Parley."""

    transport: httpx.AsyncBaseTransport
    _graphs: _Graphs
    _tools: MemoryTools
    _sign_ins: SignIns
    _commands: CommandAudit

    def routes(self) -> Sequence[BaseRoute]:
        """Return the pages on which people sign in, in front of the console's checks."""
        return sign_in_routes(self._sign_ins)

    def files(self) -> tuple[Path, ...]:
        """Return the files of users' code that runs in this process."""
        return self._graphs.graph_files()

    def keep_commands(self, documents: DocumentRepository, clock: Callable[[], float]) -> None:
        """Keep commands in the audit record, by this loop's store."""
        self._commands.bind(documents, clock)

    async def reload_graphs(self, loaded: LoadedSettings) -> None:
        """Load the graphs of these settings anew. Raises ConfigError; the old ones stay then."""
        self._sign_ins.address = sign_in_address(loaded)
        options = embedded_options(loaded, self._tools, self._sign_ins, self._commands)
        await self._graphs.reload_graphs(options)


@asynccontextmanager
async def open_embedded(loaded: LoadedSettings, tools: MemoryTools) -> AsyncIterator[EmbeddedServer]:
    """Run the server; graphs and tools of users on a loop of their own, for they may block it.

    Raises ConfigError.
    """
    sign_ins, commands = open_sign_ins(loaded), CommandAudit()
    options = embedded_options(loaded, tools, sign_ins, commands)
    if options.graphs or (options.models and options.default_agent.runs_code):
        async with threaded_server(options, uvloop.new_event_loop) as elsewhere:
            yield EmbeddedServer(elsewhere, elsewhere, tools, sign_ins, commands)
    else:
        async with AsyncExitStack() as stack:
            with block_imports(_FOR_CODE_OF_USERS):
                server = await stack.enter_async_context(embedded_server(options))
            here = StreamingASGITransport(server)
            yield EmbeddedServer(here, _GraphsHere(server), tools, sign_ins, commands)


@dataclass(frozen=True, slots=True)
class _GraphsHere:
    """The graphs of a server on this very loop."""

    server: Starlette

    async def reload_graphs(self, options: EmbeddedOptions) -> None:
        reload_graphs(self.server, options)

    def graph_files(self) -> tuple[Path, ...]:
        return ()
