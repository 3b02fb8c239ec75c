"""kill -9 at random instants, and an account of every message.

`PARLEY_CHAOS_TURNS`, `_KILLS` and `_SEED` set the scale; `PARLEY_CHAOS_WRITE=1` writes docs/chaos.md.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.dingtalk import DingTalkSimulator
from simulator.feishu import FeishuSimulator
from simulator.feishu import Timing as FeishuTiming
from simulator.slack import SlackSimulator
from simulator.slack import Timing as SlackTiming
from simulator.telegram import TelegramSimulator
from tests.architecture.tree import ROOT
from tests.chaos.dingtalk import ChaoticDingTalk
from tests.chaos.feishu import ChaoticFeishu
from tests.chaos.place import Chaotic
from tests.chaos.plan import Scale, make_plan
from tests.chaos.report import table, write
from tests.chaos.run import Result, carry_out, make_scene
from tests.chaos.slack import ChaoticSlack
from tests.chaos.telegram import ChaoticTelegram

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600)]

# Seconds without a single answer after which a run is given up; a busy machine takes half a minute to start.
_PATIENCE = 180.0
_RESULTS: list[Result] = []
# Soon and for ever: a platform that gives a message up after hours would not show what we do with it.
_SLACK = SlackTiming(retries=(0.5,) * 1000)
_FEISHU = FeishuTiming(redelivery=(0.5,) * 1000)


@pytest.fixture(scope="module", autouse=True)
def document():
    """At the end the document gets its table, where that is asked for."""
    yield
    if os.environ.get("PARLEY_CHAOS_WRITE") == "1" and _RESULTS:
        write(_RESULTS, ROOT / "docs" / "chaos.md")


@pytest.fixture
def platforms() -> Iterator[Sequence[Chaotic]]:
    """The four, empty."""
    with (
        TelegramSimulator() as telegram,
        SlackSimulator(timing=_SLACK) as slack,
        FeishuSimulator(timing=_FEISHU) as feishu,
        DingTalkSimulator() as dingtalk,
    ):
        yield (
            ChaoticTelegram(telegram),
            ChaoticSlack(slack),
            ChaoticFeishu(feishu),
            ChaoticDingTalk(dingtalk),
        )


@pytest.mark.parametrize("apart", [False, True], ids=["inside", "apart"])
async def test_every_message_is_answered_once_and_in_order(
    apart: bool,
    platforms: Sequence[Chaotic],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
):
    scale = Scale.read(os.environ)
    plan = make_plan(replace(scale, turns=scale.turns // 2, kills=scale.kills // 2) if apart else scale)
    scene = make_scene(tmp_path, platforms, apart=apart)
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
    twice = account.files_doubled + account.repeated
    assert len(twice) <= result.doubtful, twice
    assert (result.unfinished, result.dead, result.tracebacks) == (0, 0, 0)
