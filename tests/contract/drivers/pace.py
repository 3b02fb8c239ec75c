"""The pace of a channel in the contract: a platform's own would only make promises slow to check."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from parley.channels.dingtalk.channel import DingTalkChannel
from parley.channels.feishu.channel import FeishuChannel
from parley.channels.slack.channel import SlackChannel
from parley.channels.telegram.channel import TelegramChannel
from parley.core.ports.channel import Channel
from tests.kit.doubles.leaping_clock import LeapingClock

C = TypeVar("C", bound=Channel)


def eager(channel: C) -> C:
    """The channel with next to no pause between two snapshots."""
    channel.capabilities = replace(channel.capabilities, edit_interval=0.02, group_edit_interval=0.02)
    return channel


def count_limits_by(clock: LeapingClock, channel: Channel) -> None:
    """Let the channel count rate limits by `clock`, as its platform does: nobody lives through its pauses."""
    match channel:
        case TelegramChannel():
            budget = channel._api._bot._budget
        case SlackChannel() | FeishuChannel() | DingTalkChannel():
            budget = channel._api._budget
        case _:
            return
    budget._clock, budget._sleep = clock.now, clock.sleep
