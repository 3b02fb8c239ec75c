"""`parley unpair`: whoever was let in with a code may no longer talk."""

from __future__ import annotations

import argparse

from parley.app.cli.clients.pairing_client import PairingClient
from parley.app.cli.load_config import load_config
from parley.app.process.event_loop import run_loop


def run(arguments: argparse.Namespace) -> int:
    """Take it back; at once where a Parley runs."""
    door = PairingClient(load_config(arguments.config, arguments.verbose, level="warning"))
    run_loop(door.revoke(arguments.account))
    print(f"{arguments.account} may no longer talk.")
    return 0
