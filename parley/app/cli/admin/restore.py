"""`parley restore FOLDER`: what `parley backup` copied, brought back."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from parley.app.backup.create import POSTGRESQL, format_megabytes
from parley.app.backup.layout import DataLayout, data_layout
from parley.app.backup.locks import lock_all_data
from parley.app.backup.restore import Restored, restore
from parley.app.backup.swap import finish_swap, read_pending_swap
from parley.app.cli.load_config import load_config
from parley.app.cli.progress import Progress
from parley.app.process.event_loop import run_loop
from parley.core.model.errors import ParleyError


def run(arguments: argparse.Namespace) -> int:
    """Bring everything back, or finish what was begun."""
    loaded = load_config(arguments.config, arguments.verbose, level="warning", restoring=True)
    layout, folder = data_layout(loaded), arguments.folder.resolve()
    restored = run_loop(_restore(layout, folder, replace=arguments.replace))
    if restored is None:
        print(f"Finished the restore of {folder} that was interrupted.")
        return 0
    manifest = restored.manifest
    print(f"Restored {folder}, made {manifest.made_at} by Parley {manifest.parley}, into {layout.data}.")
    for path in restored.aside:
        print(f"The previous data is in {path}; delete it when you no longer need it.")
    if manifest.store == POSTGRESQL:
        print("The store is on PostgreSQL, and not in it: restore it with pg_restore (docs/backup.md).")
    return 0


async def _restore(layout: DataLayout, folder: Path, *, replace: bool) -> Restored | None:
    """Return what was brought; None where only the rest was left to do. Raises ParleyError."""
    say = Progress(time.monotonic, lambda line: print(line, file=sys.stderr, flush=True), format_megabytes)
    async with lock_all_data(layout):
        swap = read_pending_swap(layout.data)
        if swap is None:
            return restore(layout, folder, say, replace=replace)
        if swap.source != folder:
            raise ParleyError(f"A restore of {swap.source} was interrupted here: finish that one first.")
        try:
            finish_swap(layout.data, swap)
        except OSError as error:
            raise ParleyError(
                f"{error.filename or layout.data}: {error.strerror}; mend that, and call this again."
            ) from error
    return None
