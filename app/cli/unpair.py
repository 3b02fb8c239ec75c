"""`parley unpair`: whoever was let in with a code may talk no more."""

from __future__ import annotations

import argparse

from app.cli.configured import configured
from app.cli.door import Door
from app.runner import run_loop


def run(arguments: argparse.Namespace) -> int:
    """Take it back; at once where a Parley runs."""
    door = Door(configured(arguments.config, arguments.verbose, level="warning"))
    run_loop(door.revoke(arguments.account))
    print(f"{arguments.account} may talk no more.")
    return 0
