"""Bots and apps as speakers, and rules by which a message is for us without a mention (docs/bots.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parley.core.model.address import User

EVERY_BOT = "*"


@dataclass(frozen=True, slots=True)
class BotLimits:
    """How many turns bots may cause in one conversation: a minute, and in a row without a person between."""

    per_minute: int = 6
    in_a_row: int = 3

    @property
    def per_hour(self) -> int:
        """Return how many bots may cause in an hour in a chat: each alert may begin a thread there."""
        return 10 * self.per_minute


@dataclass(frozen=True, slots=True)
class BotTurns:
    """When bots caused turns in a conversation in the last minute, and how many since a person spoke.

    `told` says that the log has it that they are not answered, since they last were.
    """

    at: tuple[float, ...] = ()
    in_a_row: int = 0
    told: bool = False

    def allows(self, limits: BotLimits, now: float) -> bool:
        """Return whether there may be one more."""
        return self.in_a_row < limits.in_a_row and len(self._recent(now)) < limits.per_minute

    def counted(self, now: float) -> BotTurns:
        """Return the same with a turn of a bot more."""
        return BotTurns((*self._recent(now), now), self.in_a_row + 1)

    def interrupted(self) -> BotTurns:
        """Return the same after a person spoke."""
        return BotTurns(self.at) if self.in_a_row or self.told else self

    def _recent(self, now: float) -> tuple[float, ...]:
        return tuple(at for at in self.at if now - 60.0 < at <= now)


@dataclass(frozen=True, slots=True)
class TriggerRule:
    """A message whose text fits, from one of these authors (nobody named: whoever), is for us.

    `fits` takes time that grows with the text at most: it meets what anybody writes.
    """

    fits: Callable[[str], bool]
    authors: frozenset[str] = frozenset()

    def applies(self, text: str, author: User) -> bool:
        """Return whether it makes a message for us."""
        named = not self.authors or author.id in self.authors or author.bot in self.authors
        return named and self.fits(text[:_MOST_CHARS])


_MOST_CHARS = 20_000


def is_welcome(bots: frozenset[str], sender: User) -> bool:
    """Return whether a bot is on a list, by its own id or that of its app."""
    return bool(sender.bot) and not bots.isdisjoint((EVERY_BOT, sender.id, sender.bot))
