"""`parley run`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from parley.app.checks.config_version import find_old_version
from parley.app.checks.file_permissions import find_exposed_files
from parley.app.checks.findings import check_settings
from parley.app.cli.load_config import load_config
from parley.app.cli.startup_summary import summarise_startup
from parley.app.extras import own_command
from parley.app.process.event_loop import run_loop, tune_garbage_collection
from parley.app.process.hangup import on_hangup
from parley.app.process.heartbeat import Heartbeat
from parley.app.process.import_blocker import UNNEEDED_PACKAGES, block_imports
from parley.app.process.stop_request import StopRequest
from parley.app.reload.source import ConfigSource, file_source
from parley.app.settings.home_folder import locate_config
from parley.app.settings.load import LoadedSettings
from parley.app.setup.first_run import offers_setup
from parley.app.storage.secret_files import console_url
from parley.core.model.errors import StoreUnreachable
from parley.version import VERSION

if TYPE_CHECKING:
    from parley.app.composition.build import Parley
    from parley.console.api.setup import FirstSetup
    from parley.core.model.types import InboundMessage

log = logging.getLogger("parley.app")

_PATIENCE = 60.0
"""Seconds that a start waits for the store's server, which may be starting too, or restarting."""
_PAUSE = 0.5  # seconds between two tries


def run(arguments: argparse.Namespace) -> int:
    """Start everything, say where it is, and serve until a signal."""
    gc.disable()  # what is loaded stays: to look for garbage in it takes an eighth of the start
    environ = dict(os.environ)  # a project of the embedded server adds to it
    try:
        run_loop(_serve(*_load(arguments, environ), arguments, environ))
    finally:
        gc.enable()
    print("Stopped; unfinished work continues at the next start.", flush=True)
    return 0


def _load(arguments: argparse.Namespace, environ: Mapping[str, str]) -> tuple[LoadedSettings, ConfigSource]:
    """Read the settings, and say what they are. Raises ParleyError."""
    level = "debug" if arguments.verbose else ""
    source = file_source(locate_config(arguments.config), environ, level, log_json=arguments.log_json)
    loaded = load_config(arguments.config, arguments.verbose, log_json=arguments.log_json)
    print(
        f"Parley {VERSION}, set by {loaded.origin}",
        *summarise_startup(loaded),
        "Starting ...",
        sep="\n",
        flush=True,
    )
    found = check_settings(loaded) + find_old_version(loaded) + find_exposed_files(loaded)
    for each in (*found.mistakes, *found.remarks):
        log.warning("%s", each.show(loaded.origin))
    return loaded, source


async def _serve(
    loaded: LoadedSettings, source: ConfigSource, arguments: argparse.Namespace, environ: Mapping[str, str]
) -> None:
    """Serve until a signal; start again when somebody has set Parley up on the page."""
    stop = StopRequest()
    heartbeat = Heartbeat(os.environ, stop.end)
    stopping = _on_signals(stop, loaded.settings.manager.shutdown_grace, heartbeat)
    first = FirstMessages(stop.restart)
    while True:
        setup = _offer_setup(loaded, locate_config(arguments.config).path, environ, first)
        async with _built(loaded, source, stop.event, setup) as parley:
            if parley is not None:
                on_hangup(parley.reloader.request, partial(stopping, signal.SIGHUP))
                await parley.run(stop.event, partial(_started, loaded, heartbeat))
        if not stop.renew():
            log.info("stopped in %.1f s", stop.age)
            return
        loaded, source = _load(arguments, environ)
        await first.keep(loaded)


class FirstMessages:
    """Takes what was written to the new bots during the set-up, and has it answered at the next start."""

    def __init__(self, restart: Callable[[], None]) -> None:
        self._restart = restart
        self._messages: Sequence[InboundMessage] = ()

    def take(self, messages: Sequence[InboundMessage]) -> None:
        """Note them, and start again."""
        self._messages = messages
        self._restart()

    async def keep(self, loaded: LoadedSettings) -> None:
        """Make them durable, while nobody else has the data folder. Raises ParleyError."""
        from parley.app.setup.first_message import keep_messages

        await keep_messages(loaded, self._messages)
        self._messages = ()


def _offer_setup(
    loaded: LoadedSettings, file: Path, environ: Mapping[str, str], first: FirstMessages
) -> FirstSetup | None:
    if not offers_setup(loaded):
        return None
    from parley.app.setup.draft import Draft
    from parley.app.setup.session import SetupSession

    return SetupSession(partial(Draft.open, file, environ), first.take)


@asynccontextmanager
async def _built(
    loaded: LoadedSettings, source: ConfigSource, stop: asyncio.Event, setup: FirstSetup | None
) -> AsyncIterator[Parley | None]:
    """Built as soon as the store is there; None when it was to stop before. Raises ParleyError."""
    # The agent's libraries take a second to load: only for a configuration that is good.
    with block_imports(UNNEEDED_PACKAGES):
        from parley.app.composition.build import build_parley

    until, told = time.monotonic() + _PATIENCE, False
    async with AsyncExitStack() as stack:
        parley = None
        while parley is None and not stop.is_set():
            try:
                parley = await stack.enter_async_context(build_parley(loaded, source, setup=setup))
            except StoreUnreachable as away:
                if time.monotonic() > until:
                    raise
                if not told:
                    print(f"Waiting for the store, {_PATIENCE:.0f} s at most: {away.user_text}", flush=True)
                told = True
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSE):
                        await stop.wait()
        yield parley


def _started(loaded: LoadedSettings, heartbeat: Heartbeat, url: str) -> None:
    """Say where it is; only then tidy up, which takes a moment."""
    heartbeat.start()
    if "web" in loaded.channels:
        print(f"\nOpen {console_url(loaded, url)} and say hello.", flush=True)
        if loaded.settings.console.token:
            print("  It asks for console.token once.")
        if loaded.settings.agent.demonstrates:
            print('  Try: "What time is it?", then "Send an e-mail to ada@example.org about tea".')
        print(f"  In a terminal: {own_command()} chat")
    else:
        print(f"\nRunning; health is at {url}/readyz", flush=True)
    print("  Stop with Ctrl-C; accepted messages are not lost.\n", flush=True)
    tune_garbage_collection()


def _on_signals(stop: StopRequest, grace: float, heartbeat: Heartbeat) -> Callable[[int], None]:
    """Stop in order at the first SIGINT or SIGTERM; at a second one at once, which loses nothing either.

    Returns what does so for a signal's number.
    """
    loop = asyncio.get_running_loop()

    def stopping(number: int) -> None:
        if stop.ended:
            sys.stderr.write("Stopped at once.\n")
            os._exit(128 + number)
        stop.end()
        heartbeat.stopping()
        # Standard error may have gone with the terminal.
        with suppress(OSError):
            print(
                f"\nStopping; running turns have {grace:g} s to finish. Ctrl-C again stops at once.",
                flush=True,
            )

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping, number)
    return stopping
