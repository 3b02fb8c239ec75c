"""`parley pair`: let somebody in who has a code, or list who was and who asks."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime

from parley.app.cli.clients.pairing_client import PairingClient, PairingLists
from parley.app.cli.load_config import load_config
from parley.app.process.event_loop import run_loop


def run(arguments: argparse.Namespace) -> int:
    """Approve a code, or list accounts and requests."""
    door = PairingClient(load_config(arguments.config, arguments.verbose, level="warning"))
    if arguments.code == "list":
        run_loop(_list(door))
        return 0
    paired = run_loop(door.approve(arguments.code))
    print(f"{paired.account} ({paired.name or 'no name'}) may talk now.")
    print(f"  parley unpair {paired.account} revokes it.")
    return 0


async def _list(door: PairingClient) -> None:
    known = False
    async for page in door.pages():
        if lines := _lines(page):
            known = True
            print(*lines, sep="\n")
    if not known:
        print("There are no paired accounts and no requests.")


def _lines(lists: PairingLists) -> list[str]:
    now = time.time()
    lines = [
        f"asks    {each.account:28} {each.name}  (for {max(each.until - now, 0) / 60:.0f} min more)"
        for each in lists.requests
    ]
    lines += [
        f"paired  {each.account:28} {each.name}  (by {each.by}, {_day(each.at)})" for each in lists.paired
    ]
    return lines


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
