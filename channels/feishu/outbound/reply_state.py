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
    arrived twice. `pictures` are the keys of those among the words, by name; "" for what is sent as a file.
    `left` are messages that another one has taken the place of, and that are to be taken away.
    """

    channel: ClassVar[str] = "feishu"
    parts: tuple[PartState, ...] = ()
    files: tuple[str, ...] = ()
    trying: float = 0.0
    doubtful: bool = False
    pictures: tuple[tuple[str, str], ...] = ()
    left: tuple[str, ...] = ()

    def dump(self) -> str:
        """Return it as a short text."""
        parts: list[Json] = [[part.rung, part.born, part.card, part.message] for part in self.parts]
        noted = {"p": parts, "f": self.files, "t": self.trying, "d": self.doubtful, "i": self.pictures}
        return json.dumps({**noted, "l": self.left})

    @classmethod
    def parse(cls, noted: Any) -> FeishuReplyState:  # noqa: ANN401
        """Return what `dump` noted."""
        parts = tuple(PartState(RenderLevel(a), float(b), str(c), str(d)) for a, b, c, d in noted["p"])
        pictures = tuple((str(name), str(key)) for name, key in noted.get("i", ()))
        files, left = tuple(map(str, noted["f"])), tuple(map(str, noted.get("l", ())))
        return cls(parts, files, float(noted["t"]), noted["d"] is True, pictures, left)
