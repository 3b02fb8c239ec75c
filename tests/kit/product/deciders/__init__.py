"""People who write, are asked for a decision, and press buttons: on the page and on every platform."""

from tests.kit.product.deciders.decider import Decider, Seen
from tests.kit.product.deciders.dingtalk import OnDingTalk, OnDingTalkInWords
from tests.kit.product.deciders.feishu import OnFeishu
from tests.kit.product.deciders.slack import OnSlack
from tests.kit.product.deciders.telegram import OnTelegram
from tests.kit.product.deciders.web import OnWeb

__all__ = [
    "Decider",
    "OnDingTalk",
    "OnDingTalkInWords",
    "OnFeishu",
    "OnSlack",
    "OnTelegram",
    "OnWeb",
    "Seen",
]
