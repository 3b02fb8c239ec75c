"""Events that come cut into several frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from parley.channels.feishu.inbound.frame_codec import DecodedFrame

MOST_PARTS = 1024
MOST_WAITING = 64
LIFE = 60.0


@dataclass
class _Pieces:
    total: int
    since: float
    parts: dict[int, bytes] = field(default_factory=dict)


class FragmentAssembler:
    """Keeps pieces until they are an event; where the rest never comes they are dropped, to come again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: dict[str, _Pieces] = {}

    def add(self, packet: DecodedFrame) -> bytes | None:
        """Return the whole payload once its last piece is there, whatever their order."""
        total, place = _number(packet, "sum", 1), _number(packet, "seq", 0)
        if total <= 1:
            return packet.payload
        if total > MOST_PARTS or not 0 <= place < total:
            return None
        name = packet.headers.get("message_id", "")
        pieces = self._waiting.get(name)
        if pieces is None or pieces.total != total:
            self._tidy()
            pieces = self._waiting[name] = _Pieces(total, self._clock())
        pieces.parts[place] = packet.payload
        if len(pieces.parts) < total:
            return None
        del self._waiting[name]
        return b"".join(pieces.parts[number] for number in range(total))

    def _tidy(self) -> None:
        now = self._clock()
        kept = {name: each for name, each in self._waiting.items() if now - each.since < LIFE}
        self._waiting = dict(list(kept.items())[-MOST_WAITING + 1 :])


def _number(packet: DecodedFrame, name: str, default: int) -> int:
    text = packet.headers.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 9 else default
