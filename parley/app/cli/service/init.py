"""`parley init`: from nothing to a running Parley, by questions or by options."""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
from collections.abc import Iterable, Sequence
from contextlib import closing

from parley.app.cli.clients.console_api import ask_console
from parley.app.cli.main import main
from parley.app.cli.wizard.admins import AdminSteps
from parley.app.cli.wizard.agent_choice import AgentSteps, report_run
from parley.app.cli.wizard.options import add_admins, add_agent, given_channels, gives_agent
from parley.app.cli.wizard.platforms import PlatformSteps, report_probe
from parley.app.cli.wizard.prompts import InputEnded, TerminalPrompts, terminal_language
from parley.app.extras import own_command
from parley.app.process.logs import configure_logging
from parley.app.settings.home_folder import locate_setup
from parley.app.setup.draft import Draft, variable_name
from parley.app.setup.first_message import keep_messages
from parley.app.setup.probes import probe_channel, probe_run
from parley.app.storage.env_file import require_unset
from parley.core.model.types import InboundMessage
from parley.core.texts import SetupSentence as S

_PORTS = 100
"""How many ports are tried for the page."""


def run(arguments: argparse.Namespace) -> int:
    """Set Parley up; 0 when it is, 1 when something does not work or nobody answers. Raises ParleyError."""
    prompts = TerminalPrompts(terminal_language(arguments.language))
    configure_logging("debug" if arguments.verbose else "error", frozenset())
    try:
        draft = Draft.open(locate_setup(arguments.config), os.environ)
        if arguments.yes or arguments.dry_run:
            return _by_options(draft, arguments, prompts)
        return _by_questions(draft, arguments, prompts)
    except InputEnded as error:
        print(error.user_text)
        prompts.say(S.CANCELLED)
        return 1
    except KeyboardInterrupt:
        print()
        prompts.say(S.CANCELLED)
        return 130


def _by_questions(draft: Draft, arguments: argparse.Namespace, prompts: TerminalPrompts) -> int:
    prompts.say(S.WELCOME)
    checks = not arguments.no_check
    platforms = PlatformSteps(prompts, arguments.server, checks)
    channels: Sequence[str] = tuple(given := given_channels(arguments, os.environ))
    for channel, keys in given.items():
        draft = draft.add_channel(channel, keys, arguments.server)
        if checks and not platforms.check(draft, channel).works:
            return 1
    if not given:
        draft, channels = platforms.run(draft)
    draft = add_agent(draft, arguments) if gives_agent(arguments) else AgentSteps(prompts, checks).run(draft)
    draft = add_admins(draft, arguments.admin)
    draft, messages = AdminSteps(prompts).run(draft, channels)
    draft = _with_free_port(draft)
    if not _show(draft, prompts):
        return _start(draft, arguments, prompts, messages)
    if not prompts.confirm(prompts.text(S.WRITE_ASK)):
        prompts.say(S.CANCELLED)
        return 1
    _write(draft, prompts)
    return _start(draft, arguments, prompts, messages)


def _with_free_port(draft: Draft) -> Draft:
    """Return a new configuration with another port for the page, where the usual one is taken."""
    port = draft.loaded().settings.console.port
    free = next((each for each in range(port, port + _PORTS) if _is_free(each)), port)
    return draft if draft.before is not None or free == port else draft.set_value(("console", "port"), free)


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _start(
    draft: Draft, arguments: argparse.Namespace, prompts: TerminalPrompts, messages: Sequence[InboundMessage]
) -> int:
    """Start Parley where it is not running and somebody wants it to."""
    running = asyncio.run(ask_console(draft.loaded(), "GET", "/api/pairing"))
    if running is not None and running.is_success:  # another Parley on this port does not know our token
        prompts.say(S.RESTART)
        return 0
    if messages:
        asyncio.run(keep_messages(draft.loaded(), messages))
    if arguments.yes and not arguments.start:
        prompts.say(S.START_LATER, command=f"{own_command()} run")
        return 0
    if not arguments.yes and not prompts.confirm(prompts.text(S.START_ASK)):
        prompts.say(S.START_LATER, command=f"{own_command()} run")
        return 0
    return main(["run", *(["--config", str(arguments.config)] if arguments.config else [])])


def _by_options(draft: Draft, arguments: argparse.Namespace, prompts: TerminalPrompts) -> int:
    """Do what the options say, without a question."""
    given = given_channels(arguments, os.environ)
    for channel, keys in given.items():
        if not arguments.replace and any(draft.differs(channel, key, value) for key, value in keys.items()):
            require_unset(draft.env_file, [variable_name(channel, key) for key in keys], {})
        draft = draft.add_channel(channel, keys, arguments.server)
    draft = _with_free_port(add_admins(add_agent(draft, arguments), arguments.admin))
    if not arguments.no_check and not _works(draft, given, gives_agent(arguments), prompts):
        prompts.say(S.CANCELLED)
        return 1
    changes = _show(draft, prompts)
    if arguments.dry_run:
        prompts.say(S.CANCELLED)
        return 0
    if changes:
        _write(draft, prompts)
    return _start(draft, arguments, prompts, ())


def _works(draft: Draft, channels: Iterable[str], agent: bool, prompts: TerminalPrompts) -> bool:
    """Ask the platforms and the agent, and say what they say. What is lacking is no reason to stop."""
    works = True
    for channel in channels:
        prompts.say(S.CHANNEL_CHECKING, channel=channel)
        found = asyncio.run(probe_channel(draft, channel))
        report_probe(prompts, found, channel)
        works = works and found.works
    if agent and not draft.loaded().settings.agent.demonstrates:
        prompts.say(S.AGENT_CHECKING)
        answer = asyncio.run(probe_run(draft))
        report_run(prompts, answer)
        works = works and answer.works
    return works


def _show(draft: Draft, prompts: TerminalPrompts) -> bool:
    """Print what would change; return whether anything would."""
    changes = list(draft.changes())
    print()
    prompts.say(S.CHANGES if changes else S.CHANGES_NONE)
    for line in changes:
        print(f"  {line}")
    return bool(changes)


def _write(draft: Draft, prompts: TerminalPrompts) -> None:
    copies = draft.write()
    names = [draft.file] + ([draft.env_file] if draft.variables else [])
    prompts.say(S.WRITTEN, files=", ".join(map(str, names)))
    for copy in copies:
        prompts.say(S.COPY_KEPT, file=copy)
