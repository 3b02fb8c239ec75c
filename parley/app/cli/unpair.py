"""`parley unpair`: whoever was let in with a code may talk no more."""

from __future__ import annotations

import argparse

from parley.app.cli.configured import configured
from parley.app.cli.door import Door
from parley.app.runner import run_loop


def run(arguments: argparse.Namespace) -> int:
    """Take it back; at once where a Parley runs."""
    door = Door(configured(arguments.config, arguments.verbose, level="warning"))
    run_loop(door.revoke(arguments.account))
    print(f"{arguments.account} may talk no more.")
    return 0
