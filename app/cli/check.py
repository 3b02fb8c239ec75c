"""`parley check`."""

from __future__ import annotations

import argparse
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.cli.chat import address
from app.cli.client import ChatClient, ChatRefused, NotRunning
from app.cli.configured import configured
from app.cli.plan import plan
from app.preflight import preflight
from app.runner import run_loop
from app.settings.load import Loaded
from app.store import trouble
from app.tokens import known_token
from bridge.ports import Health, HealthReport


def run(arguments: argparse.Namespace) -> int:
    """Say what would start; 2 for mistakes in the configuration, 1 for what is in its way now."""
    loaded = configured(arguments.config, arguments.verbose)
    print(f"{loaded.origin}: no mistakes. This would start:", *plan(loaded), sep="\n", flush=True)
    problems = [*_store(loaded), *_agent(loaded), *_platforms(loaded), *_page(loaded)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def _store(loaded: Loaded) -> Iterator[str]:
    """Why a store on a server could not be opened."""
    if found := run_loop(trouble(loaded)):
        yield f"store.url: {found}"


def _agent(loaded: Loaded) -> Iterator[str]:
    """Why the agent could not answer. An embedded one is made for a moment, in an empty folder."""
    if loaded.settings.agent.demonstrates:
        return
    with tempfile.TemporaryDirectory(prefix="parley-check-") as folder:
        report = run_loop(_agent_health(replace(loaded, data_dir=Path(folder))))
    if report.health is not Health.UP:
        yield f"agent.url: {report.detail}; check the address and agent.api_key, or write: embedded"


async def _agent_health(loaded: Loaded) -> HealthReport:
    from app.agents import open_agent

    async with open_agent(loaded) as agent:
        return await agent.health()


def _platforms(loaded: Loaded) -> Iterator[str]:
    """Why a platform would not let us in."""
    found = run_loop(preflight(loaded))
    for line in found.known:
        print(line)
    yield from found.problems


def _page(loaded: Loaded) -> Iterator[str]:
    """Why the page could not be served."""
    console = loaded.settings.console
    try:
        found = socket.getaddrinfo(console.host, console.port, type=socket.SOCK_STREAM)
    except OSError:
        yield f"console.host: {console.host} is not an address of this machine; write 127.0.0.1 or 0.0.0.0"
        return
    family, _, _, _, where = found[0]
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            if not _parley_answers(loaded):
                yield f"console.port: {console.port} cannot be had ({error.strerror}); write another port"


def _parley_answers(loaded: Loaded) -> bool:
    console = loaded.settings.console
    with closing(ChatClient(address(console.host, console.port), known_token(loaded))) as client:
        try:
            client.look()
        except (NotRunning, ChatRefused):
            return False
    print("(Parley is running at that address already.)")
    return True
