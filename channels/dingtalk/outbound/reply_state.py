"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from parley.channels.kit.reply_state import ReplyState


@dataclass(frozen=True, slots=True)
class DingTalkReplyState(ReplyState):
    """How far a reply has come.

    `cards` stand, the first `finished` of them in full, and `asked` cards of a question; `plain` says that
    the rest of the text goes in plain messages, of which `parts` were sent, as were `files`. `sending` says
    that a plain message or file was on its way when this was noted, `doubtful` that one may have arrived
    twice.
    """

    channel: ClassVar[str] = "dingtalk"
    cards: int = 0
    finished: int = 0
    asked: int = 0
    plain: bool = False
    parts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    sending: bool = False
    doubtful: bool = False

    def dump(self) -> str:
        """Return it as a short text."""
        noted = {"c": self.cards, "e": self.finished, "p": self.plain, "m": self.parts, "f": self.files}
        return json.dumps(noted | {"q": self.asked, "s": self.sending, "d": self.doubtful})

    @classmethod
    def parse(cls, noted: Any) -> DingTalkReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        parts, files = tuple(map(str, noted["m"])), tuple(map(str, noted["f"]))
        cards, finished, asked = int(noted["c"]), int(noted["e"]), int(noted.get("q", 0))
        plain, sending, doubtful = (noted[key] is True for key in "psd")
        return cls(cards, finished, asked, plain, parts, files, sending, doubtful)
