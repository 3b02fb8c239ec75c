"""DingTalk keeps what it promises of texts also where answers are plain messages, without cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.drivers.dingtalk import DingTalkPlainDriver
from tests.contract.harness.keeping import keep_promise
from tests.contract.promises import PROMISES

_HELD = (
    "every_sign_survives",
    "an_empty_answer_is_said",
    "a_huge_answer_arrives_whole",
    "parts_are_within_the_limit",
    "a_long_chinese_answer_arrives_in_a_group",
)


@pytest.mark.parametrize("name", _HELD)
async def test_promise_without_cards(name: str, tmp_path: Path, wire_folder: str) -> None:
    await keep_promise(PROMISES[name], DingTalkPlainDriver, tmp_path, wire_folder)
