"""What a press of a button is answered with, and how soon."""

from parley.channels.feishu.api import LOOKUP_TIMEOUT
from parley.channels.feishu.inbound.card_actions import PAUSES, toast
from parley.simulator.feishu import FeishuSimulatorTiming


def test_a_toast_is_short_and_has_no_code():
    told = toast("✏️ Ann: other arguments\n```json\n{}\n```\n · today")
    assert told == {"toast": {"type": "info", "content": "✏️ Ann: other arguments"}}
    assert len(toast("x" * 5000)["toast"]["content"]) <= 200
    assert toast("") == {}


def test_the_slowest_answer_to_a_press_is_within_feishu_s_three_seconds():
    assert LOOKUP_TIMEOUT + sum(PAUSES) < FeishuSimulatorTiming().ack - 0.5
