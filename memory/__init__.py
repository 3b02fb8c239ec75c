"""Remembering people: what they said becomes facts, and the right ones come back at the right time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parley.memory.inject.block import format_memory_for_injection

__all__ = ["format_memory_for_injection"]


def __getattr__(name: str) -> object:
    """What `memory` offers by name, loaded when it is first asked for: importing `memory` stays cheap."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from parley.memory.inject import block

    return getattr(block, name)
