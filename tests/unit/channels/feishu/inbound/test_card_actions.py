"""What a press of a button is answered with, and how soon."""

from typing import Any

from parley.channels.feishu.api import LOOKUP_TIMEOUT
from parley.channels.feishu.inbound.card_actions import OUTCOME_TIMEOUT, PAUSES, toast
from parley.simulator.feishu import FeishuSimulatorTiming


def test_a_toast_is_short_and_has_no_code():
    told = toast("✏️ Ann: other arguments\n```json\n{}\n```\n · today")
    assert told == {"toast": {"type": "info", "content": "✏️ Ann: other arguments"}}
    long: Any = toast("x" * 5000)
    assert len(long["toast"]["content"]) <= 200
    assert toast("") == {}


def test_the_slowest_answer_to_a_press_is_within_feishu_s_three_seconds():
    assert LOOKUP_TIMEOUT + sum(PAUSES) + OUTCOME_TIMEOUT < FeishuSimulatorTiming().ack - 0.5
