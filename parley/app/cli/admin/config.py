"""`parley config upgrade`: an older configuration file gets what is new, and keeps what it says."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace

from parley.app.cli.wizard.prompts import TerminalPrompts
from parley.app.settings.home_folder import locate_config
from parley.app.settings.load import read_settings
from parley.app.settings.parsing.problems import format_path
from parley.app.settings.schema.model import CONFIG_VERSION
from parley.app.settings.upgrade import Upgrade, upgrade
from parley.app.setup.draft import Draft
from parley.core.model.errors import ConfigError

_SUFFIX = ".before-upgrade"


def run(arguments: argparse.Namespace) -> int:
    """Show what would change, ask, and write it. Raises ParleyError."""
    file = locate_config(arguments.config).path
    if not file.exists() and arguments.config is None:
        print(f"There is no {file}: Parley runs with the defaults of today, and nothing is to be done.")
        return 0
    draft = replace(Draft.open(file, os.environ), suffix=_SUFFIX)
    if draft.before is None:
        raise ConfigError(f"{file}: no such file; check --config")
    found = upgrade(
        draft.before, lambda text: read_settings(text, file.name, draft.environment(), file.parent)
    )
    draft = replace(draft, text=found.text)
    if draft.text == draft.before:
        print(f"{file} is up to date (version {CONFIG_VERSION}).")
        return 0
    for line in draft.changes():
        print(line)
    _summarise(found)
    if arguments.dry_run or not (arguments.yes or _agrees()):
        print("Nothing was written.")
        return 0 if arguments.dry_run else 1
    for copy in draft.write():
        print(f"The file as it was is kept: {copy}")
    print(f"{file} is up to date (version {CONFIG_VERSION}), and means what it meant.")
    return 0


def _summarise(found: Upgrade) -> None:
    for old, new in found.moved:
        print(f"{format_path(old)} is {format_path(new)} now; its value stays.")
    if found.left:
        names = ", ".join(map(format_path, found.left))
        print(f"Not added, because it would change what the file means: {names}")


def _agrees() -> bool:
    if not sys.stdin.isatty():
        print("Nobody can be asked here: --yes writes it, --dry-run only shows it.", file=sys.stderr)
        return False
    return TerminalPrompts("en").confirm("Write this?", default=False)
