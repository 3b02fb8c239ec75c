"""`parley check`: what would start, and what is wrong with it."""

from __future__ import annotations

import argparse
from contextlib import closing
from importlib.resources import files

from parley.agent.files.reader import FileReader
from parley.app.checks.commands import check_commands
from parley.app.checks.config_version import find_old_version
from parley.app.checks.embedding import check_embedding
from parley.app.checks.file_permissions import find_exposed_files
from parley.app.checks.findings import Findings, check_settings, problem_at
from parley.app.checks.page import check_page
from parley.app.checks.preflight import ask_platforms
from parley.app.checks.speech import ask_speech
from parley.app.cli.clients.chat_client import ChatClient, ChatRefused, NotRunning
from parley.app.cli.clients.running_state import ask_running
from parley.app.cli.load_config import load_config
from parley.app.cli.service.live_walk import run_live, run_replay
from parley.app.cli.startup_summary import summarise_startup
from parley.app.doctor.agent import ask_agent
from parley.app.process.event_loop import run_loop
from parley.app.process.logs import secret_hider
from parley.app.settings.load import LoadedSettings
from parley.app.storage.endpoint import server_url
from parley.app.storage.secret_files import existing_token
from parley.app.storage.store import find_store_problem
from parley.core.ports.health import CONNECTED, Health


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
    found = check_settings(loaded) + find_old_version(loaded) + find_exposed_files(loaded) + _store(loaded)
    found += check_embedding(loaded) + check_commands(loaded)
    found += run_loop(ask_agent(loaded, makes_a_run=arguments.run))
    found += run_loop(ask_speech(loaded))
    found += run_loop(ask_platforms(loaded)) + _running(loaded) + _page(loaded)
    hide = secret_hider(loaded.settings)
    for line in found.known:
        print(hide(line))
    for remark in found.remarks:
        print(hide(f"{remark.show(loaded.origin)} (a remark)"))
    for mistake in found.mistakes:
        print(hide(mistake.show(loaded.origin)))
    count = len(found.mistakes)
    print(f"{count} mistake{'s' * (count > 1)}." if count else "No mistakes.")
    return 1 if count else 0


def _store(loaded: LoadedSettings) -> Findings:
    """Return why a store on a server could not be opened."""
    why = run_loop(find_store_problem(loaded))
    return Findings((problem_at(loaded, ("store", "url"), why),) if why else ())


def _running(loaded: LoadedSettings) -> Findings:
    """Return what a running Parley knows to be wrong with channels that are connected."""
    running = run_loop(ask_running(loaded))
    reports = {} if running is None else running.reports
    troubled = (
        (name, report)
        for name, report in reports.items()
        if name in loaded.channels and report.health is Health.UP and report.detail != CONNECTED
    )
    told = (
        problem_at(loaded, ("channels", name), f"the running Parley says: {report.detail}")
        for name, report in troubled
    )
    return Findings(tuple(told))


def _page(loaded: LoadedSettings) -> Findings:
    """Return why the page could not be served, unless Parley serves it already."""
    found = check_page(loaded)
    return Findings() if found.mistakes and _parley_answers(loaded) else found


def _parley_answers(loaded: LoadedSettings) -> bool:
    console = loaded.settings.console
    with closing(ChatClient(server_url(console.host, console.port), existing_token(loaded))) as client:
        try:
            client.look()
        except (NotRunning, ChatRefused):
            return False
    print("(Parley is running at that address already.)")
    return True
