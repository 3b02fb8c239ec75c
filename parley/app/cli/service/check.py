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

from parley.agent.files.reader import FileReader
from parley.app.checks.assistants import check_agent
from parley.app.checks.file_permissions import find_exposed_files
from parley.app.checks.findings import Findings, check_settings, problem_at
from parley.app.checks.preflight import ask_platforms
from parley.app.checks.speech import ask_speech
from parley.app.checks.trial_run import try_run
from parley.app.cli.clients.chat_client import ChatClient, ChatRefused, NotRunning
from parley.app.cli.clients.endpoint import server_url
from parley.app.cli.load_config import load_config
from parley.app.cli.service.live_walk import run_live, run_replay
from parley.app.cli.startup_summary import summarise_startup
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.problems import ConfigProblem
from parley.app.storage.secret_files import existing_token
from parley.app.storage.store import find_store_problem
from parley.core.model.errors import ConfigError


def run(arguments: argparse.Namespace) -> int:
    """Say what would start; 1 where there are mistakes, but 2 where the settings cannot be read."""
    if arguments.print_config:
        print(files("parley.app.settings").joinpath("default.yaml").read_text("utf-8"), end="")
        return 0
    if arguments.live:
        return run_live(arguments.config, arguments.verbose, arguments.live, arguments.to)
    if arguments.replay:
        return run_replay(arguments.replay)
    loaded = load_config(arguments.config, arguments.verbose)
    print(f"{loaded.origin}: this would start:", *summarise_startup(loaded), sep="\n", flush=True)
    print(run_loop(FileReader().protection()), flush=True)
    found = check_settings(loaded) + find_exposed_files(loaded) + _store(loaded)
    found += _agent(loaded, makes_a_run=arguments.run)
    found += run_loop(ask_speech(loaded))
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


def _store(loaded: LoadedSettings) -> Findings:
    """Return why a store on a server could not be opened."""
    why = run_loop(find_store_problem(loaded))
    return Findings((problem_at(loaded, ("store", "url"), why),) if why else ())


def _agent(loaded: LoadedSettings, *, makes_a_run: bool) -> Findings:
    """Return why the agent could not answer, and what a run says where one is to be made.

    An embedded one is made for a moment, in an empty folder.
    """
    if loaded.settings.agent.demonstrates and not makes_a_run:
        return Findings()
    with tempfile.TemporaryDirectory(prefix="parley-check-") as folder:
        try:
            return run_loop(_ask(replace(loaded, data_dir=Path(folder)), makes_a_run=makes_a_run))
        except ConfigError as error:
            # A graph that cannot be loaded, or a model; the words of others have lines of their own.
            place, _, text = " ".join(error.user_text.split()).partition(": ")
            return Findings((problem_at(loaded, tuple(place.split(".")), text),))


async def _ask(loaded: LoadedSettings, *, makes_a_run: bool) -> Findings:
    from parley.app.composition.agent import open_agent

    async with open_agent(loaded) as agent:
        if loaded.settings.agent.embedded:
            await agent.health()
            found = Findings()
        else:
            found = await check_agent(loaded, agent)
        return found + await try_run(loaded, agent) if makes_a_run and not found.mistakes else found


def _page(loaded: LoadedSettings) -> Iterator[ConfigProblem]:
    """Yield why the page could not be served."""
    console = loaded.settings.console
    try:
        found = socket.getaddrinfo(console.host, console.port, type=socket.SOCK_STREAM)
    except OSError:
        text = f"{console.host} is not an address of this machine; write 127.0.0.1 or 0.0.0.0"
        yield problem_at(loaded, ("console", "host"), text)
        return
    family, _, _, _, where = found[0]
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            if not _parley_answers(loaded):
                text = f"{console.port} cannot be had ({error.strerror}); write another port"
                yield problem_at(loaded, ("console", "port"), text)


def _parley_answers(loaded: LoadedSettings) -> bool:
    console = loaded.settings.console
    with closing(ChatClient(server_url(console.host, console.port), existing_token(loaded))) as client:
        try:
            client.look()
        except (NotRunning, ChatRefused):
            return False
    print("(Parley is running at that address already.)")
    return True
