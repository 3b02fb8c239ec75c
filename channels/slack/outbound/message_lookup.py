"""Finding those of our messages in a place that belong to a reply, among all that we wrote there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence

from parley.channels.slack.api_values import OwnMessage


async def find_sent(
    messages: AsyncIterator[OwnMessage], turn: str, part: int, known: Collection[str], *, unsigned: bool
) -> OwnMessage | None:
    """Return a part of a turn's answer, or with `unsigned` what may be it, as it grows; None without one.

    `known` are the ts of the answer's other messages.
    """
    growing: OwnMessage | None = None
    async for found in messages:
        if (found.turn, found.part) == (turn, part):
            return found
        if found.part < 0 and not found.has_files and found.ts not in known:
            growing = found
    return growing if unsigned else None


async def find_others(
    messages: AsyncIterator[OwnMessage], turn: str, known: Collection[str]
) -> Sequence[str]:
    """Return the ts of signed messages of a turn's answer that are not among the `known` ones."""
    found = [each async for each in messages if each.turn == turn and each.part >= 0]
    return [each.ts for each in found if each.ts not in known]
