"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TelegramReplyState:
    """The messages that hold the reply's text and files, in order.

    `sending` says that a file was on its way when this was noted, `doubtful` that one may have arrived twice.
    """

    parts: tuple[int, ...] = ()
    files: tuple[int, ...] = ()
    sending: bool = False
    doubtful: bool = False

    def dump(self) -> str:
        """As a short text."""
        return json.dumps({"m": self.parts, "f": self.files, "s": self.sending, "d": self.doubtful})

    @classmethod
    def load(cls, text: str) -> TelegramReplyState:
        """The inverse; an empty handle for a text that is none."""
        if not text:
            return cls()
        try:
            noted = json.loads(text)
            parts, files = tuple(map(int, noted["m"])), tuple(map(int, noted["f"]))
            return cls(parts, files, noted["s"] is True, noted["d"] is True)
        except (ValueError, TypeError, LookupError):
            log.warning("telegram: a reply's handle is unreadable; it is sent anew")
            return cls()
