"""What each message of a reply is to show. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parley.channels.slack.blocks import BlockButton
from parley.core.model.types import JsonObject, Step


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """What one message is to show. A closed one will not grow any more; `last` ends the whole reply. Under
    its text stand `buttons`, or the blocks of `foot`."""

    text: str
    steps: tuple[Step, ...] = ()
    closed: bool = False
    last: bool = False
    buttons: tuple[BlockButton, ...] = ()
    foot: tuple[JsonObject, ...] = ()


def to_drafts(texts: Sequence[str], steps: tuple[Step, ...], *, final: bool) -> list[MessageDraft]:
    """Return texts as pages, the steps on the last."""
    last = len(texts) - 1
    return [
        MessageDraft(text, steps if number == last else (), final or number < last, final and number == last)
        for number, text in enumerate(texts)
    ]
