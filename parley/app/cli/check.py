"""`parley check`: what would start, and what is wrong with it."""

from __future__ import annotations

import argparse
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from parley.agent.documents import Documents
from parley.app.assistants import ask_agent
from parley.app.cli.chat import address
from parley.app.cli.client import ChatClient, ChatRefused, NotRunning
from parley.app.cli.configured import configured
from parley.app.cli.plan import plan
from parley.app.exposure import exposed
from parley.app.preflight import ask_platforms
from parley.app.runner import run_loop
from parley.app.settings.findings import Findings, at, findings
from parley.app.settings.load import Loaded
from parley.app.settings.mistakes import Mistake
from parley.app.store import trouble
from parley.app.tokens import known_token
from parley.core.errors import ConfigError


def run(arguments: argparse.Namespace) -> int:
    """Say what would start; 1 where there are mistakes, but 2 where the settings cannot be read."""
    if arguments.print_config:
        print(files("parley.app.settings").joinpath("default.yaml").read_text("utf-8"), end="")
        return 0
    loaded = configured(arguments.config, arguments.verbose)
    print(f"{loaded.origin}: this would start:", *plan(loaded), sep="\n", flush=True)
    print(run_loop(Documents().protection()), flush=True)
    found = findings(loaded) + exposed(loaded) + _store(loaded) + _agent(loaded)
    found += run_loop(ask_platforms(loaded)) + Findings(tuple(_page(loaded)))
    for line in found.known:
        print(line)
    for remark in found.remarks:
        print(f"{remark.show(loaded.origin)} (a remark)")
    for mistake in found.mistakes:
        print(mistake.show(loaded.origin))
    count = len(found.mistakes)
    print(f"{count} mistake{'s' * (count > 1)}." if count else "No mistakes.")
    return 1 if count else 0


def _store(loaded: Loaded) -> Findings:
    """Why a store on a server could not be opened."""
    why = run_loop(trouble(loaded))
    return Findings((at(loaded, ("store", "url"), why),) if why else ())


def _agent(loaded: Loaded) -> Findings:
    """Why the agent could not answer. An embedded one is made for a moment, in an empty folder."""
    if loaded.settings.agent.demonstrates:
        return Findings()
    with tempfile.TemporaryDirectory(prefix="parley-check-") as folder:
        try:
            return run_loop(_ask(replace(loaded, data_dir=Path(folder))))
        except ConfigError as error:
            # A graph that cannot be loaded, or a model; the words of others have lines of their own.
            place, _, text = " ".join(error.user_text.split()).partition(": ")
            return Findings((at(loaded, tuple(place.split(".")), text),))


async def _ask(loaded: Loaded) -> Findings:
    from parley.app.agents import open_agent

    async with open_agent(loaded) as agent:
        if loaded.settings.agent.embedded:
            await agent.health()
            return Findings()
        return await ask_agent(loaded, agent)


def _page(loaded: Loaded) -> Iterator[Mistake]:
    """Why the page could not be served."""
    console = loaded.settings.console
    try:
        found = socket.getaddrinfo(console.host, console.port, type=socket.SOCK_STREAM)
    except OSError:
        text = f"{console.host} is not an address of this machine; write 127.0.0.1 or 0.0.0.0"
        yield at(loaded, ("console", "host"), text)
        return
    family, _, _, _, where = found[0]
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            if not _parley_answers(loaded):
                text = f"{console.port} cannot be had ({error.strerror}); write another port"
                yield at(loaded, ("console", "port"), text)


def _parley_answers(loaded: Loaded) -> bool:
    console = loaded.settings.console
    with closing(ChatClient(address(console.host, console.port), known_token(loaded))) as client:
        try:
            client.look()
        except (NotRunning, ChatRefused):
            return False
    print("(Parley is running at that address already.)")
    return True
