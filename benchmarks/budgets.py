"""Answers that grow at once on platforms that enforce their limits: how late the last one is complete."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator

from benchmarks.kit.plan import Plan
from benchmarks.kit.tables import Table
from benchmarks.loads.growing_answers import grow
from benchmarks.loads.platform_stages import STAGES

_COLUMNS = (
    "answers that grow at once", "the limits' bound s", "last complete after s", "half of them after s",
    "shown, times each", "calls refused", "CPU s, platform included",
)  # fmt: skip


def run(plan: Plan) -> Iterator[Table]:
    """One table."""
    logging.getLogger("parley").setLevel(logging.ERROR)
    rows: list[tuple[str, ...]] = []
    for name, open_stage in STAGES.items():
        with open_stage() as stage:
            cpu = time.process_time()
            seen = asyncio.run(grow(stage, plan.answer_seconds))
            cpu = time.process_time() - cpu
            shows = seen.shows / len(stage.targets)
            measured = (f"{stage.bound:.1f}", f"{seen.latest:.2f}", f"{seen.usual:.2f}", f"{shows:.1f}")
            rows.append((name, *measured, str(stage.refused()), f"{cpu:.1f}"))
        plan.say(f"budgets, {name}: {', '.join(rows[-1][1:])}")
    title = f"Answers of {plan.answer_seconds:g} s that end together, on platforms that enforce their limits"
    note = (
        "Channels and simulators share one process. The bound is when the last answer can be complete if "
        "nothing was shown before it ended."
    )
    yield Table("budgets", title, _COLUMNS, tuple(rows), note)
