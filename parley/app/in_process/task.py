"""A Parley as a task of the running loop: no port is opened, its API is called as a function."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.types import ASGIApp

from parley.app.in_process.settings import refuse_interrupted_restore, web_only_settings
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ParleyError


@dataclass(frozen=True, slots=True)
class EmbeddedParley:
    """The HTTP API of a Parley that runs, and what opens it."""

    app: ASGIApp
    token: str
    running: asyncio.Task[None]

    def check(self) -> None:
        """Raise ParleyError where it has ended by itself."""
        if self.running.done():
            error = None if self.running.cancelled() else self.running.exception()
            raise ParleyError("Parley has stopped in this process; begin again.") from error


@asynccontextmanager
async def embed_parley(loaded: LoadedSettings) -> AsyncIterator[EmbeddedParley]:
    """Run a Parley with only the web chat on, on the data of these settings; leaving stops it in order.

    Raises ParleyError, as StoreInUse where another process has the data.
    """
    # Not before: the agent's libraries take a second to load.
    from parley.app.composition.build import build_parley

    refuse_interrupted_restore(loaded)
    loaded.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    ours, stop = web_only_settings(loaded), asyncio.Event()
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with build_parley(ours) as parley:
        running = asyncio.create_task(parley.run(stop, started.set_result, listens=False), name="parley")
        try:
            await asyncio.wait((running, started), return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            yield EmbeddedParley(parley.server.app, ours.settings.console.token, running)
        finally:
            stop.set()
            await running
