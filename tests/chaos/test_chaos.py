"""kill -9 at random instants, and an account of every message.

`PARLEY_CHAOS_TURNS`, `_KILLS` and `_SEED` set the scale; `PARLEY_CHAOS_WRITE=1` writes docs/chaos.md.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.telegram import TelegramSimulator
from tests.architecture.tree import ROOT
from tests.chaos.plan import Scale, make_plan
from tests.chaos.report import table, write
from tests.chaos.run import Result, carry_out, make_scene

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600)]

# Seconds without a single answer after which a run is given up; a busy machine takes half a minute to start.
_PATIENCE = 180.0
_RESULTS: list[Result] = []


@pytest.fixture(scope="module", autouse=True)
def document():
    """At the end the document gets its table, where that is asked for."""
    yield
    if os.environ.get("PARLEY_CHAOS_WRITE") == "1" and _RESULTS:
        write(_RESULTS, ROOT / "docs" / "chaos.md")


@pytest.mark.parametrize("apart", [False, True], ids=["inside", "apart"])
async def test_every_message_is_answered_once_and_in_order(
    apart: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
):
    scale = Scale.read(os.environ)
    plan = make_plan(replace(scale, turns=scale.turns // 2, kills=scale.kills // 2) if apart else scale)
    with TelegramSimulator() as telegram:
        scene = make_scene(tmp_path, telegram, apart=apart)
        try:
            result = await carry_out(plan, scene, _PATIENCE)
        finally:
            scene.end()
            request.node.add_report_section("call", f"Parley, seed {scale.seed}", scene.parley.log[-20_000:])
    with capsys.disabled():
        print(f"\n{table([result])}")
    _RESULTS.append(result)
    check(result)


def check(result: Result) -> None:
    account = result.account
    assert account.is_clean, account
    assert len(account.files_doubled) <= result.doubtful, account.files_doubled
    assert (result.unfinished, result.dead, result.tracebacks) == (0, 0, 0)
