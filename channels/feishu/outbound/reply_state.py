"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from enum import StrEnum

from parley.core.model.types import Json

log = logging.getLogger(__name__)


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
class FeishuReplyState:
    """The messages that hold the reply's text and files, in order.

    `trying` is when the next file was first tried (0 for not yet), `doubtful` says that something may have
    arrived twice.
    """

    parts: tuple[PartState, ...] = ()
    files: tuple[str, ...] = ()
    trying: float = 0.0
    doubtful: bool = False

    def dump(self) -> str:
        """As a short text."""
        parts: list[Json] = [[part.rung, part.born, part.card, part.message] for part in self.parts]
        return json.dumps({"p": parts, "f": self.files, "t": self.trying, "d": self.doubtful})

    @classmethod
    def load(cls, text: str) -> FeishuReplyState:
        """The inverse; an empty handle for a text that is none."""
        if not text:
            return cls()
        try:
            noted = json.loads(text)
            parts = tuple(PartState(RenderLevel(a), float(b), str(c), str(d)) for a, b, c, d in noted["p"])
            return cls(parts, tuple(map(str, noted["f"])), float(noted["t"]), noted["d"] is True)
        except (ValueError, TypeError, LookupError):
            log.warning("feishu: a reply's handle is unreadable; it is sent anew")
            return cls()
