"""`parley feedback`: what people think of answers."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from parley.app.cli.load_config import load_config
from parley.app.process.event_loop import run_loop
from parley.app.storage.store import database_path, is_new_store, open_store_read_only
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.state.feedback import list_feedback

_DAY = 86_400.0
_MARKS = {FeedbackChoice.UP: "good", FeedbackChoice.DOWN: "bad"}


def run(arguments: argparse.Namespace) -> int:
    """Print the feedback, newest first; a running Parley is not disturbed."""
    loaded = load_config(arguments.config, arguments.verbose)
    if is_new_store(loaded):
        print(f"No feedback yet: there is no {database_path(loaded)}.")
        return 0

    async def look() -> Sequence[Feedback]:
        async with open_store_read_only(loaded) as documents:
            return await list_feedback(documents, time.time() - arguments.days * _DAY)

    found = [each for each in run_loop(look()) if arguments.choice in ("all", _MARKS[each.choice])]
    for each in found:
        print(json.dumps(asdict(each), ensure_ascii=False) if arguments.json else _line(each))
    if not found and not arguments.json:
        print(f"No feedback in the last {arguments.days:g} days.")
    return 0


def _line(said: Feedback) -> str:
    at = datetime.fromtimestamp(said.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    run_id = said.run_id or "-"
    words = f"  {said.comment[:200]!r}" if said.comment else ""
    return f"{at}  {_MARKS[said.choice]:4}  {said.account:24} {said.conversation:28} {run_id}{words}"
