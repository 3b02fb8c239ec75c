"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from parley.channels.kit.reply_state import ReplyState


@dataclass(frozen=True, slots=True)
class TelegramReplyState(ReplyState):
    """The messages that hold the reply's text and files, in order.

    `sending` says that a file was on its way when this was noted, `doubtful` that one may have arrived twice.
    """

    channel: ClassVar[str] = "telegram"
    parts: tuple[int, ...] = ()
    files: tuple[int, ...] = ()
    sending: bool = False
    doubtful: bool = False

    def dump(self) -> str:
        """Return it as a short text."""
        return json.dumps({"m": self.parts, "f": self.files, "s": self.sending, "d": self.doubtful})

    @classmethod
    def parse(cls, noted: Any) -> TelegramReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        parts, files = tuple(map(int, noted["m"])), tuple(map(int, noted["f"]))
        return cls(parts, files, noted["s"] is True, noted["d"] is True)
