"""A small Parley for one terminal, inside this process."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace

from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import TERMINAL
from parley.core.model.errors import ParleyError

_START_SECONDS = 60.0


def web_only_settings(loaded: LoadedSettings) -> LoadedSettings:
    """Return the same settings for the web channel only, on a free loopback port, with a token for one life.

    Where other channels are on, it works in a folder of its own: their waiting messages stay with the
    Parley that serves them.
    """
    changes = {"host": "127.0.0.1", "port": 0, "token": secrets.token_urlsafe()}
    console = loaded.settings.console.model_copy(update=changes)
    settings = loaded.settings.model_copy(update={"console": console})
    others = set(loaded.channels) - {"web"}
    folder = loaded.data_dir / TERMINAL if others else loaded.data_dir
    web = {"web": replace(loaded.plans["web"], off="")}
    return replace(loaded, settings=settings, plans=web, data_dir=folder)


@contextmanager
def run_in_process(ours: LoadedSettings) -> Iterator[str]:
    """Serve what `alone` made, in a thread, while it is entered; gives the address. Raises ParleyError."""
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
