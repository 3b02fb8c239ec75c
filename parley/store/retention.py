"""How long finished things are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Retention:
    """Seconds that done and cancelled items (`finished`), dedupe names (`names`) and dead letters (`dead`)
    are kept.

    Names are counted from the put, whatever became of the item. Platforms redeliver for hours:
    keep names for a day at least. Dead letters are kept until the operator decides, unless a time is set.
    """

    finished: float = 7 * DAY
    names: float = 7 * DAY
    dead: float = math.inf


DEFAULT = Retention()
