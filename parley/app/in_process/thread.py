"""A Parley in a thread of this process, on a port of loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ParleyError

_START_SECONDS = 60.0


@contextmanager
def run_in_process(ours: LoadedSettings) -> Iterator[str]:
    """Serve `ours` while it is entered; gives the address. Raises ParleyError."""
    address: Future[str] = Future()
    running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        running.set_result((asyncio.get_running_loop(), stop))
        # Not before: where a package cannot be loaded nobody would hear of it for a minute.
        from parley.app.composition.build import build_parley

        async with build_parley(ours) as parley:
            await parley.run(stop, address.set_result)

    def work() -> None:
        try:
            run_loop(serve())
        except ParleyError as error:
            if not address.done():
                address.set_exception(error)
        finally:
            if not address.done():
                address.set_exception(ParleyError("Parley could not start; the reason stands above."))

    thread = threading.Thread(target=work, name="parley", daemon=True)
    thread.start()
    try:
        yield address.result(_START_SECONDS)
    finally:
        loop, stop = running.result(_START_SECONDS)
        with suppress(RuntimeError):  # the loop is closed: it has ended by itself
            loop.call_soon_threadsafe(stop.set)
        thread.join(ours.settings.manager.shutdown_grace + 10)
