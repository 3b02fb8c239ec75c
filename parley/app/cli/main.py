"""Arguments, and where each command lives; whatever is heavy is imported by the command itself."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from parley.app.process.terminal import guard_terminals
from parley.app.process.watchdog import SECONDS
from parley.core.model.errors import ConfigError, ParleyError, StoreMoved
from parley.simulator.registry import platforms
from parley.version import VERSION

_UMASK = 0o077
"""What a command and its children write, nobody else on the machine may read."""
_SERVICE = frozenset(
    {"run", "chat", "check", "doctor", "simulate", "version", "address", "agent", "nodes", "threads", "init"}
)
_ABOUT = "Puts any LangGraph agent into the team's chats."
_EPILOG = "Without a command Parley starts, as with: parley run --watched"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0 when it did its work, 1 when it failed, 2 for what must be mended before another try.

    That is a wrong configuration or usage, or a database that was moved away under us.
    """
    os.umask(_UMASK)
    arguments = parser().parse_args(argv)
    guard_terminals()
    try:
        command = importlib.import_module(f"parley.app.cli.{_room(arguments.command)}.{arguments.command}")
        code = command.run(arguments)
    except ConfigError as error:
        print(error.user_text, file=sys.stderr)
        return 2
    except ParleyError as error:
        print(f"parley: {error.user_text}", file=sys.stderr)
        return 2 if isinstance(error, StoreMoved) else 1
    except BrokenPipeError:
        # Whoever read us has gone (`parley threads | head`); nothing may be flushed into the closed pipe.
        sys.stdout = None
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        where = f"{error.filename}: " if error.filename else ""
        print(f"parley: {where}the disk is full: make room, and try again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return int(code)


def _room(command: str) -> str:
    """Return the package of a command's module."""
    return "service" if command in _SERVICE else "admin"


class _CommandParser(argparse.ArgumentParser):
    """The parser of a command, whose options may come from modules that only this command loads."""

    _more = ""

    def when_used(self, module: str) -> None:
        """Have `add_options` of a module called as soon as the command is parsed."""
        self._more = module

    def complete(self) -> None:
        """Add the options that are still to come."""
        if self._more:
            module, self._more = self._more, ""
            importlib.import_module(module).add_options(self)

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Add the options that are still to come, then parse."""
        self.complete()
        return super().parse_known_args(args, namespace)


def parser() -> argparse.ArgumentParser:
    """Return every command with its options."""
    top = argparse.ArgumentParser("parley", description=_ABOUT, epilog=_EPILOG)
    top.add_argument("--version", action="version", version=f"Parley {VERSION}")
    commands = top.add_subparsers(
        dest="command", required=True, metavar="command", parser_class=_CommandParser
    )

    def add(name: str, about: str) -> _CommandParser:
        return commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")

    add_options = {
        "run": _add_run_options,
        "check": _add_check_options,
        "agent": _add_address,
        "doctor": _add_doctor_options,
        "chat": _add_message,
        "threads": _add_limit,
        "nodes": _add_json,
    }
    for name, about in (
        ("run", "start Parley and serve until stopped"),
        ("check", "check the settings before a start, and print what would start"),
        ("doctor", "prove by doing that channels, agent, store and memory work, and say what to mend"),
        ("chat", "chat in this terminal, with the running Parley or a new one"),
        ("address", "print the address that opens the chat page"),
        ("threads", "list conversations with their LangGraph threads"),
        ("nodes", "list the nodes that share this store, and their channels"),
        ("agent", "run the embedded agent server on its own"),
    ):
        command = add(name, about)
        command.add_argument("--config", type=Path, help="configuration file (default: config.yaml)")
        command.add_argument("-v", "--verbose", action="store_true", help="log everything")
        if name in add_options:
            add_options[name](command)
    _add_keeping(add)
    _add_simulate(add)
    add("version", "print the version")
    return top


def _add_simulate(add: Callable[[str, str], argparse.ArgumentParser]) -> None:
    simulate = add("simulate", "run a chat platform on this machine, to try Parley without an account")
    simulate.add_argument("platform", choices=platforms())
    simulate.add_argument("--port", type=int, default=0, help="default: a free one")


def _add_run_options(run: argparse.ArgumentParser) -> None:
    about = f"restart Parley after a crash, or when it is frozen for so long (default: {SECONDS:g})"
    run.add_argument("--log-json", action="store_true", help="write the log as JSON, one object a line")
    run.add_argument("--watched", nargs="?", type=_seconds, const=SECONDS, metavar="SECONDS", help=about)


def _add_check_options(check: argparse.ArgumentParser) -> None:
    about = "print a configuration with every setting and its default, and do nothing else"
    check.add_argument("--print-config", action="store_true", help=about)
    about = "also say hello to the agent, in a conversation that is deleted again, and print what comes back"
    check.add_argument("--run", action="store_true", help=about)
    about = "walk through a real account with you instead, and record what its platform says"
    check.add_argument("--live", metavar="CHANNEL", help=about)
    check.add_argument("--to", type=Path, metavar="FILE", help="the recording (default: live-CHANNEL.jsonl)")
    about = "do what was recorded on the platform's simulator instead, and print in what the two differ"
    check.add_argument("--replay", type=Path, metavar="FILE", help=about)


def _add_doctor_options(doctor: argparse.ArgumentParser) -> None:
    doctor.add_argument("--json", action="store_true", help="print one JSON object (docs/doctor.md)")
    about = "also write a file for support, without secrets and without words of people"
    doctor.add_argument("--bundle", type=Path, metavar="FILE.tar.gz", help=about)


def _add_message(chat: argparse.ArgumentParser) -> None:
    chat.add_argument("message", nargs="*", help="send this message, print the answer, and end")


def _add_limit(threads: argparse.ArgumentParser) -> None:
    about = "maximum number of conversations (default: 50)"
    threads.add_argument("--limit", type=int, default=50, help=about)
    threads.add_argument("--all", action="store_true", help="every conversation, by name")


def _add_json(nodes: argparse.ArgumentParser) -> None:
    nodes.add_argument("--json", action="store_true", help="print one JSON object a line")


def _add_address(agent: argparse.ArgumentParser) -> None:
    agent.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
    agent.add_argument("--port", type=int, default=2024, help="default: 2024")


def _seconds(text: str) -> float:
    """Parse a duration. Raises ValueError, which argparse reports."""
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise ValueError
    return seconds


def _add_keeping(add: Callable[[str, str], _CommandParser]) -> None:
    """Add the commands that manage stored data."""
    memory = add("memory", "list people who have a memory, or import memories of another system")
    memory.add_argument("what", choices=("people", "migrate"))
    memory.add_argument("folder", nargs="?", default="", help="migrate: the other system's folder or file")
    memory.add_argument("--dry-run", action="store_true", help="migrate: only print what would be imported")
    memory.add_argument(
        "--person", default="web:local", help="migrate: who gets a memory shared by all people"
    )
    memory.add_argument(
        "--rename", action="append", default=[], metavar="OLD=NEW", help="migrate: change the id of a person"
    )
    audit = add("audit", "print who was asked what, and who decided")
    audit.add_argument("--days", type=float, default=30.0, help="number of days to look back (default: 30)")
    audit.add_argument("--json", action="store_true", help="print one JSON object a line")
    pair = add("pair", "give access to the account with this code, or list accounts and requests")
    pair.add_argument("code", metavar="CODE", help="the code, or: list")
    unpair = add("unpair", "revoke the access of an account")
    unpair.add_argument("account", metavar="CHANNEL:ID", help="as `parley pair list` shows it")
    letters = add("letters", "list, show, retry or drop messages that were given up")
    letters.add_argument("what", choices=("list", "show", "retry", "drop"))
    letters.add_argument("items", nargs="*", metavar="ITEM", help="numbers of the list; retry, drop: or all")
    letters.add_argument("--json", action="store_true", help="list, show: print one JSON object a line")
    letters.add_argument("--yes", action="store_true", help="drop all: do not ask")
    store = add("store", "copy a store into another, empty one (SQLite or PostgreSQL)")
    store.add_argument("what", choices=("copy",))
    store.add_argument("source", metavar="FROM", help="sqlite, sqlite:///FILE, postgresql://..., or '$NAME'")
    store.add_argument("target", metavar="TO", help="the same; neither may be in use")
    skills = add("skills", "list, install or remove skills of the built-in agent")
    skills.add_argument("what", choices=("list", "install", "remove"))
    skills.add_argument("skill", nargs="?", default="", metavar="FILE|NAME", help="the archive, or the skill")
    several = (*_add_backup(add), *_add_set_up(add), skills, store, memory, audit, pair, unpair, letters)
    for command in (_add_person(add), _add_feedback(add), *several):
        command.add_argument("--config", type=Path, help="configuration file (default: config.yaml)")
        command.add_argument("-v", "--verbose", action="store_true", help="log everything")


def _add_set_up(add: Callable[[str, str], _CommandParser]) -> Sequence[argparse.ArgumentParser]:
    connect = add("connect", "make the app of a chat platform by scanning a QR code")
    connect.add_argument("channel", metavar="CHANNEL", help="the platform, such as feishu")
    connect.add_argument("--replace", action="store_true", help="replace credentials that are there already")
    connect.add_argument("--server", default="", help="address of a simulator or another server")
    config = add("config", "bring the configuration file up to date, and keep what it says")
    config.add_argument("what", choices=("upgrade",))
    config.add_argument("--dry-run", action="store_true", help="only print what would change")
    config.add_argument("--yes", action="store_true", help="do not ask")
    init = add("init", "set Parley up: chat platforms, the agent, the first administrator")
    init.when_used("parley.app.cli.wizard.options")
    return connect, config, init


def _add_feedback(add: Callable[[str, str], _CommandParser]) -> argparse.ArgumentParser:
    feedback = add("feedback", "list what people think of answers")
    feedback.add_argument("what", choices=("list",))
    feedback.add_argument(
        "--days", type=float, default=30.0, help="number of days to look back (default: 30)"
    )
    feedback.add_argument("--choice", choices=("all", "good", "bad"), default="all", help="default: all")
    feedback.add_argument("--json", action="store_true", help="print one JSON object a line")
    return feedback


def _add_person(add: Callable[[str, str], _CommandParser]) -> argparse.ArgumentParser:
    person = add("person", "export or erase all data about one person")
    person.add_argument("what", choices=("export", "erase"))
    person.add_argument(
        "person", metavar="CHANNEL:ID", help="any account of the person, such as telegram:4711"
    )
    person.add_argument("--to", type=Path, metavar="FILE", help="the zip file, or the receipt of an erasure")
    person.add_argument("--yes", action="store_true", help="erase: do not ask")
    return person


def _add_backup(add: Callable[[str, str], _CommandParser]) -> Sequence[argparse.ArgumentParser]:
    backup = add("backup", "copy all data of Parley into a new folder, also while Parley is running")
    backup.add_argument("folder", type=Path, metavar="FOLDER", help="a new or empty folder")
    restore = add("restore", "restore a backup while Parley is stopped")
    restore.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of the backup")
    restore.add_argument("--replace", action="store_true", help="move the existing data aside")
    return backup, restore
