"""`parley backup FOLDER`: a copy of everything, also while Parley runs."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from contextlib import suppress
from types import FrameType

from parley.app.backup.create import POSTGRESQL, create_backup, format_megabytes
from parley.app.backup.layout import data_layout
from parley.app.cli.load_config import load_config
from parley.app.cli.progress import Progress


def run(arguments: argparse.Namespace) -> int:
    """Copy, and say what is in the copy and what is not."""
    loaded = load_config(arguments.config, arguments.verbose, level="warning")
    with suppress(ValueError):  # of a thread that is not the main one: no signal arrives there
        signal.signal(signal.SIGTERM, _ended)
    say = Progress(time.monotonic, lambda line: print(line, file=sys.stderr, flush=True), format_megabytes)
    report = create_backup(data_layout(loaded), arguments.folder, say)
    manifest = report.manifest
    print(f"Backed up to {arguments.folder}: {len(manifest.files)} files, {format_megabytes(report.size)}.")
    print("It holds messages, files, memories and the keys in the data folder: keep it as safe as these.")
    print("Not in it: config.yaml, .env, and the files that they name.")
    for path in report.left_out:
        print(f"Left out, because it is neither a file nor a folder: {path}", file=sys.stderr)
    if manifest.store == POSTGRESQL:
        print("The store is on PostgreSQL, and not in it: back it up with pg_dump (docs/backup.md).")
    return 0


def _ended(number: int, _: FrameType | None) -> None:
    """End as with Ctrl-C: what was begun is removed."""
    raise SystemExit(128 + number)
