"""How much, and for how long: the load is the same however long it lasts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

CHANNELS = ("web", "telegram", "slack", "feishu", "dingtalk")
INTERVAL = 2.0
"""Seconds between two tokens of a conversation."""
ELSEWHERE = 10
"""How nice the platforms, the people and the agent are: in life they are other machines, and their work is
not Parley's to wait for. Here they have what Parley leaves of the cores."""
_LONGEST = 60.0
_CONVERSATIONS = 200


@dataclass(frozen=True, slots=True)
class Scale:
    """`seconds` for each part: all in order, and then each of `stuck` platforms once.

    Answers are made of `tokens`, and all conversations of all channels have one on its way all the time.
    In a short soak answers are shorter, so there are fewer conversations: turns a second stay the same.
    """

    seconds: float
    stuck: tuple[str, ...]

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Scale:
        """From PARLEY_SOAK_SECONDS and PARLEY_SOAK_STUCK. Raises ValueError."""
        stuck = tuple(environ.get("PARLEY_SOAK_STUCK", "telegram").split(","))
        if not set(stuck) <= set(CHANNELS[1:]):
            raise ValueError(f"PARLEY_SOAK_STUCK is made of {','.join(CHANNELS[1:])}")
        return cls(float(environ.get("PARLEY_SOAK_SECONDS", "120")), stuck)

    @property
    def turn(self) -> float:
        """How many seconds the agent takes for an answer."""
        return self.tokens * INTERVAL

    @property
    def tokens(self) -> int:
        """How many an answer has."""
        return max(3, round(min(_LONGEST, self.seconds / 2) / INTERVAL))

    @property
    def conversations(self) -> int:
        """How many each channel has."""
        return max(5, round(_CONVERSATIONS * self.turn / _LONGEST))

    @property
    def messages(self) -> int:
        """How many one conversation says at most."""
        whole = self.seconds * (1 + len(self.stuck)) + 2 * self.turn
        return math.ceil(whole / self.turn) + 5

    @property
    def turns_a_second(self) -> float:
        """Of all channels together."""
        return len(CHANNELS) * self.conversations / self.turn

    @property
    def tokens_a_second(self) -> float:
        """Of all channels together."""
        return len(CHANNELS) * self.conversations / INTERVAL
