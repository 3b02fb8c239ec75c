"""DingTalk keeps what it promises of texts also where answers are plain messages, without cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.drivers.dingtalk import DingTalkPlainDriver
from tests.contract.harness.scene import scene
from tests.contract.promises import PROMISES

_HELD = (
    "every_sign_survives",
    "an_empty_answer_is_said",
    "a_huge_answer_arrives_whole",
    "parts_are_within_the_limit",
    "a_long_chinese_answer_arrives_in_a_group",
)


@pytest.mark.parametrize("name", _HELD)
async def test_promise_without_cards(name: str, tmp_path: Path) -> None:
    promise = PROMISES[name]
    async with scene(DingTalkPlainDriver, tmp_path, setting=promise.setting) as stage:
        await promise.keep(stage)
