"""Cards that the simulated Feishu does not take, as Feishu does not."""

import pytest

from parley.simulator.feishu.errors import FeishuErrorResponse
from parley.simulator.feishu.rendering.card_buttons import check_card_buttons


@pytest.mark.parametrize(
    "elements",
    [
        [{"tag": "action", "actions": []}],
        [{"tag": "button", "text": {"tag": "plain_text", "content": "x" * 101}}],
        [
            {
                "tag": "button",
                "text": {"tag": "plain_text", "content": "x"},
                "behaviors": [{"type": "callback", "value": "a text"}],
            }
        ],
        [{"tag": "form", "name": "f", "elements": [{"tag": "input", "name": "i"}]}],
        [{"tag": "form", "name": "f", "elements": [{"tag": "input"}]}],
        [{"tag": "markdown", "content": "x"}] * 201,
    ],
)
def test_the_simulator_refuses_what_feishu_refuses(elements):
    with pytest.raises(FeishuErrorResponse):
        check_card_buttons({"schema": "2.0", "body": {"elements": elements}})
