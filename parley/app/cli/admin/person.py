"""`parley person`: everything that is kept about one person, exported or erased with a receipt."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from parley.app.cli.clients.privacy_client import PrivacyClient
from parley.app.cli.load_config import load_config
from parley.app.process.event_loop import run_loop
from parley.core.model.errors import ParleyError
from parley.core.privacy.data_subject import DataSubject

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says; 1 where an erasure has to be called again."""
    dossier = PrivacyClient(load_config(arguments.config, arguments.verbose, level="warning"))
    return run_loop(_export(dossier, arguments) if arguments.what == "export" else _erase(dossier, arguments))


async def _export(dossier: PrivacyClient, arguments: argparse.Namespace) -> int:
    into = arguments.to or Path(_file_name(arguments.person))
    if into.exists():
        raise ParleyError(f"{into} is there already; name another file with --to.")
    print(*await dossier.export(arguments.person, into), sep="\n")
    print(f"\nAll data is in {into}.")
    return 0


async def _erase(dossier: PrivacyClient, arguments: argparse.Namespace) -> int:
    subject = await dossier.find(arguments.person)
    if not arguments.yes and not _agreed(subject):
        print("Nothing was erased.")
        return 1
    erased = await dossier.erase(arguments.person, subject)
    _write(erased.lines, arguments.to or Path(_file_name(arguments.person, "erased", "txt")))
    return 1 if erased.unfinished else 0


def _write(lines: Iterable[str], into: Path) -> None:
    text = "\n".join(lines)
    print(text)
    try:
        into.write_text(text + "\n", "utf-8")
    except OSError as error:
        print(f"\nThe receipt could not be written to {into}: {error.strerror}.", file=sys.stderr)
    else:
        print(f"\nThis receipt is in {into}.")


def _agreed(subject: DataSubject) -> bool:
    """Return whether the operator means it; where nobody can be asked, they have to say so before."""
    print(f"Everything about {subject.person} will be erased, and cannot be brought back.")
    print(f"Accounts: {', '.join(subject.accounts)}")
    print("`parley person export` keeps a copy.", flush=True)
    if not sys.stdin.isatty():
        raise ParleyError("add --yes to erase without being asked.")
    return input("Type yes to erase: ").strip().lower() == "yes"


def _file_name(person: str, what: str = "person", suffix: str = "zip") -> str:
    day = time.strftime("%Y-%m-%d")
    return f"parley-{what}-{_UNSAFE.sub('-', person)[:60]}-{day}.{suffix}"
