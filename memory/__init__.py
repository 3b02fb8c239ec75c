"""Long-term memory of people: learns facts from turns, and recalls relevant ones for a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parley.memory.inject.block import format_memory_for_injection

__all__ = ["format_memory_for_injection"]


def __getattr__(name: str) -> object:
    """Load a public name on first access, so that importing `parley.memory` stays cheap."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from parley.memory.inject import block

    return getattr(block, name)
