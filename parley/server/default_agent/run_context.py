"""What the graph that Parley brings knows of a run: its context, and the time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict


class RunContext(TypedDict, total=False):
    """What the default agent takes from a run's context (docs/identity.md)."""

    model_name: str
    memory: str
    parley: dict[str, Any]
    parley_tools: dict[str, str]


def value_of(context: object, key: str) -> object:
    """Return what a run's context has under a key of RunContext, None where it has nothing."""
    return context.get(key) if isinstance(context, Mapping) else None


def identity_of(context: object) -> Mapping[str, Any]:
    """Return who speaks in a run, and where (docs/identity.md); empty where nobody said so."""
    found = value_of(context, "parley")
    return found if isinstance(found, Mapping) else {}


def local_now() -> datetime:
    """Return the time, in the zone of this machine."""
    return datetime.now().astimezone()
