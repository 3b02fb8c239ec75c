"""`parley doctor`: proves by doing that everything on the way works, and says what to mend."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from parley.app.cli.clients.running_state import ask_running
from parley.app.cli.load_config import load_config
from parley.app.doctor.bundle.archive import demand_new_file, describe_contents, write_archive
from parley.app.doctor.bundle.contents import build_contents
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.examine import examine
from parley.app.doctor.report import UNUSABLE, describe_report, exit_code, show_count, show_result, to_json
from parley.app.doctor.result import CheckResult
from parley.app.process.event_loop import run_loop
from parley.app.process.log_memory import remembered_lines
from parley.app.storage.store import count_store
from parley.core.model.errors import ConfigError, ParleyError
from parley.core.model.types import Json
from parley.store.diagnosis import StoreStatistics


def run(arguments: argparse.Namespace) -> int:
    """Examine everything; 0 where all is well, 1 where something failed, 2 where settings cannot be used."""
    try:
        loaded = load_config(arguments.config, arguments.verbose, "" if arguments.verbose else "error")
    except ConfigError as error:
        if not arguments.json:
            raise
        lines: list[Json] = [
            {"name": "settings", "status": "failed", "text": line} for line in error.user_text.splitlines()
        ]
        print(json.dumps(describe_report(lines, UNUSABLE, time.time()), indent=2))
        return UNUSABLE
    if arguments.bundle:
        demand_new_file(arguments.bundle)
    return run_loop(_examine(DoctorContext(loaded, say=_say), arguments))


async def _examine(context: DoctorContext, arguments: argparse.Namespace) -> int:
    origin, found = context.loaded.origin, await ask_running(context.loaded)
    context = DoctorContext(context.loaded, found, say=context.say)

    def tell(result: CheckResult) -> None:
        if not arguments.json:
            print(*show_result(result, origin), sep="\n", flush=True)

    if found is not None:
        _say("a Parley is running with these settings: it is asked about what it holds")
    results = await examine(context, tell)
    code = exit_code(results)
    print(to_json(results, code, context.clock()) if arguments.json else show_count(results), flush=True)
    if arguments.bundle:
        await _write_bundle(context, arguments.bundle, results)
    return code


async def _write_bundle(context: DoctorContext, path: Path, results: Sequence[CheckResult]) -> None:
    statistics: StoreStatistics | str
    try:
        statistics = await count_store(context.loaded)
    except ParleyError as error:
        statistics = type(error).__name__
    lines = context.running.log if context.running else tuple(remembered_lines())
    contents = build_contents(context, results, statistics, lines)
    _say(f"the support bundle {path} has:")
    print(*describe_contents(contents), sep="\n", file=sys.stderr, flush=True)
    write_archive(path, contents, context.clock())
    _say(f"{path} is written. Only you may read it: look into it before you send it.")


def _say(line: str) -> None:
    """Tell on standard error what is being done, so that the report may be piped."""
    print(f"... {line}", file=sys.stderr, flush=True)
