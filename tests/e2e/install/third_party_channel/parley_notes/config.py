"""The section `channels.notes`."""

from __future__ import annotations

from parley.channels.kit.config import ChannelConfig


class Config(ChannelConfig):
    """`questions` is the file that is read, `answers` the one that is written."""

    questions: str = ""
    answers: str = "answers.txt"

    def credentials(self) -> tuple[str, ...]:
        """Return the keys without which the channel stays off."""
        return ("questions",)
