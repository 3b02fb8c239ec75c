"""`parley audit`: who was asked what, who decided, and how it went on."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from datetime import UTC, datetime

from parley.app.cli.configured import configured
from parley.app.runner import run_loop
from parley.app.store import database, is_new, peek
from parley.core import audit
from parley.core.audit import AuditEntry

_DAY = 86_400.0


def run(arguments: argparse.Namespace) -> int:
    """Print the record, oldest first; a running Parley is not disturbed."""
    loaded = configured(arguments.config, arguments.verbose)
    if is_new(loaded):
        print(f"Nothing was asked yet: there is no {database(loaded)}.")
        return 0

    async def work() -> int:
        count = 0
        async with peek(loaded) as look:
            async for entry in audit.entries(look, time.time() - arguments.days * _DAY):
                print(_line(entry) if not arguments.json else json.dumps(asdict(entry), ensure_ascii=False))
                count += 1
        return count

    if not run_loop(work()) and not arguments.json:
        print(f"Nothing was asked in the last {arguments.days} days.")
    return 0


def _line(entry: AuditEntry) -> str:
    at = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    what = " ".join(part for part in (entry.action, entry.prompt, entry.option, entry.text) if part)
    who = entry.who or "-"
    return f"{at}  {entry.kind:8} {who:24} {entry.conversation:28} {what[:100]!r}"
