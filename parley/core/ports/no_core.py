"""What a channel is given where there is no core behind it."""

from __future__ import annotations

from parley.core.model.address import Conversation, User
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import Click
from parley.core.model.types import SessionSettings

_NO_RULES = ChannelOptions(SessionSettings(""))


def no_rules(place: Conversation) -> ChannelOptions:
    """For channels without a core behind them."""
    return _NO_RULES


def never_rerun() -> bool:
    """For channels without a core behind them."""
    return False


async def clear_nothing(conversation: Conversation) -> None:
    """For channels without a core behind them."""


async def withdraw_nothing(conversation: Conversation, message_id: str, sender: User) -> bool:
    """For channels without a core behind them."""
    return False


async def recall_nothing(conversation: Conversation, message_id: str) -> None:
    """For channels without a core behind them."""


async def tell_nothing(click: Click, max_chars: int) -> str:
    """For channels without a core behind them."""
    return ""
