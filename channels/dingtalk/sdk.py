"""What is used of dingtalk-stream, which has no types: its frames, and its reading of messages."""

from dingtalk_stream import (  # type: ignore[import-untyped]
    AckMessage,
    CallbackHandler,
    CallbackMessage,
    ChatbotMessage,
    SystemMessage,
    TextContent,
)
from dingtalk_stream.handlers import SystemHandler  # type: ignore[import-untyped]

__all__ = [
    "AckMessage",
    "CallbackHandler",
    "CallbackMessage",
    "ChatbotMessage",
    "SystemHandler",
    "SystemMessage",
    "TextContent",
]
