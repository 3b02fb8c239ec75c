"""What is used of dingtalk-stream, which has no types: its frames, and its reading of messages."""

from dingtalk_stream import (  # type: ignore[import-untyped]
    AckMessage,
    CallbackHandler,
    CallbackMessage,
    Card_Callback_Router_Topic,
    ChatbotMessage,
    SystemMessage,
    TextContent,
)
from dingtalk_stream.handlers import SystemHandler  # type: ignore[import-untyped]

MESSAGES: str = ChatbotMessage.TOPIC
"""Messages for robots."""
CARD_CALLBACKS: str = Card_Callback_Router_Topic
"""Presses of buttons on cards."""

__all__ = [
    "CARD_CALLBACKS",
    "MESSAGES",
    "AckMessage",
    "CallbackHandler",
    "CallbackMessage",
    "ChatbotMessage",
    "SystemHandler",
    "SystemMessage",
    "TextContent",
]
