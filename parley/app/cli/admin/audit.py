"""`parley audit`: who was asked what, who decided, how it went on, and what commands were run."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from datetime import UTC, datetime

from parley.app.cli.load_config import load_config
from parley.app.process.event_loop import run_loop
from parley.app.storage.store import database_path, is_new_store, open_store_read_only
from parley.core.hitl import audit
from parley.core.hitl.audit import AuditEntry

_DAY = 86_400.0


def run(arguments: argparse.Namespace) -> int:
    """Print the record, oldest first; a running Parley is not disturbed."""
    loaded = load_config(arguments.config, arguments.verbose)
    if is_new_store(loaded):
        print(f"No questions yet: there is no {database_path(loaded)}.")
        return 0

    async def work() -> int:
        count = 0
        async with open_store_read_only(loaded) as look:
            async for entry in audit.list_entries(look, time.time() - arguments.days * _DAY):
                print(_line(entry) if not arguments.json else json.dumps(asdict(entry), ensure_ascii=False))
                count += 1
        return count

    if not run_loop(work()) and not arguments.json:
        print(f"No questions in the last {arguments.days} days.")
    return 0


def _line(entry: AuditEntry) -> str:
    at = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    what = " ".join(part for part in (entry.action, entry.prompt, entry.option, entry.text) if part)
    who = entry.who or "-"
    return f"{at}  {entry.kind:8} {who:24} {entry.conversation:28} {what[:100]!r}"
