"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from parley.channels.kit.reply_state import ReplyState
from parley.channels.slack.formatting import SplitPoint


@dataclass(frozen=True, slots=True)
class SlackReplyState(ReplyState):
    """The messages that hold the reply's text (by ts) and its files (by id), in order.

    `stream` is the message that may still be growing, `sending` says that a message was on its way when this
    was noted and `upload` which file was; `doubtful` that something may have arrived twice; `late` that one
    which was on its way was not found, and may still arrive. `cuts` are where the text was cut while it grew.
    """

    channel: ClassVar[str] = "slack"
    parts: tuple[str, ...] = ()
    stream: str = ""
    sending: bool = False
    cuts: tuple[SplitPoint, ...] = ()
    files: tuple[str, ...] = ()
    upload: str = ""
    doubtful: bool = False
    late: bool = False

    def dump(self) -> str:
        """Return it as a short text."""
        return json.dumps(
            {
                "m": self.parts,
                "s": self.stream,
                "o": self.sending,
                "c": [(cut.at, cut.mark) for cut in self.cuts],
                "f": self.files,
                "u": self.upload,
                "d": self.doubtful,
                "l": self.late,
            }
        )

    @classmethod
    def parse(cls, noted: Any) -> SlackReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        return cls(
            parts=tuple(map(str, noted["m"])),
            stream=str(noted["s"]),
            sending=noted["o"] is True,
            cuts=tuple(SplitPoint(int(at), int(mark)) for at, mark in noted["c"]),
            files=tuple(map(str, noted["f"])),
            upload=str(noted["u"]),
            doubtful=noted["d"] is True,
            late=noted.get("l") is True,
        )
