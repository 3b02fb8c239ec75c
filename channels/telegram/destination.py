"""Where messages go."""

from __future__ import annotations

from dataclasses import dataclass

from telegram import ReplyParameters


@dataclass(frozen=True, slots=True)
class TelegramDestination:
    """Where messages go: a chat, perhaps a topic of it, and the message that the first one answers."""

    chat: int
    topic: int | None = None
    reply_to: int | None = None

    @property
    def answered(self) -> ReplyParameters | None:
        """What is answered; where it is gone, nothing."""
        if self.reply_to is None:
            return None
        return ReplyParameters(self.reply_to, allow_sending_without_reply=True)
