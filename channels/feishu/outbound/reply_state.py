"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from parley.channels.kit.reply_state import ReplyState
from parley.core.model.types import Json


class RenderLevel(StrEnum):
    """How a part of a reply is shown, the best way first."""

    ENTITY = "e"
    """a CardKit card, which streams"""
    CARD = "c"
    """a card within its message, which is replaced"""
    POST = "p"
    """a rich text, sent once"""
    TEXT = "t"
    """a plain text, sent once"""

    @property
    def grows(self) -> bool:
        """Whether it can be shown before it is whole."""
        return self in (RenderLevel.ENTITY, RenderLevel.CARD)


NEXT_LOWER_LEVEL = {
    RenderLevel.ENTITY: RenderLevel.CARD,
    RenderLevel.CARD: RenderLevel.POST,
    RenderLevel.POST: RenderLevel.TEXT,
}


@dataclass(frozen=True, slots=True)
class PartState:
    """One message of a reply. `born` (Unix time) is when it was first tried; "" is what is not known yet."""

    rung: RenderLevel
    born: float
    card: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class FeishuReplyState(ReplyState):
    """The messages that hold the reply's text and files, in order.

    `trying` is when the next file was first tried (0 for not yet), `doubtful` says that something may have
    arrived twice.
    """

    channel: ClassVar[str] = "feishu"
    parts: tuple[PartState, ...] = ()
    files: tuple[str, ...] = ()
    trying: float = 0.0
    doubtful: bool = False

    def dump(self) -> str:
        """Return it as a short text."""
        parts: list[Json] = [[part.rung, part.born, part.card, part.message] for part in self.parts]
        return json.dumps({"p": parts, "f": self.files, "t": self.trying, "d": self.doubtful})

    @classmethod
    def parse(cls, noted: Any) -> FeishuReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        parts = tuple(PartState(RenderLevel(a), float(b), str(c), str(d)) for a, b, c, d in noted["p"])
        return cls(parts, tuple(map(str, noted["f"])), float(noted["t"]), noted["d"] is True)
