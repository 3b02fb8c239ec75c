"""`parley doctor`: proves by doing that everything on the way works, and says what to mend."""

from __future__ import annotations

import argparse
import json
import sys
import time

from parley.app.cli.clients.running_state import ask_running
from parley.app.cli.load_config import load_config
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.examine import examine
from parley.app.doctor.report import UNUSABLE, describe_report, exit_code, show_count, show_result, to_json
from parley.app.doctor.result import ProbeResult
from parley.app.process.event_loop import run_loop
from parley.core.model.errors import ConfigError
from parley.core.model.types import Json


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
    return run_loop(_examine(DoctorContext(loaded, say=_say), arguments))


async def _examine(context: DoctorContext, arguments: argparse.Namespace) -> int:
    origin, found = context.loaded.origin, await ask_running(context.loaded)
    context = DoctorContext(context.loaded, found, say=context.say)

    def tell(result: ProbeResult) -> None:
        if not arguments.json:
            print(*show_result(result, origin), sep="\n", flush=True)

    if found is not None:
        _say("a Parley is running with these settings: it is asked about what it holds")
    results = await examine(context, tell)
    code = exit_code(results)
    print(to_json(results, code, context.clock()) if arguments.json else show_count(results), flush=True)
    return code


def _say(line: str) -> None:
    """Tell on standard error what is being done, so that the report may be piped."""
    print(f"... {line}", file=sys.stderr, flush=True)
