"""Ids of assistants: each graph has one, named as LangGraph servers name it."""

from __future__ import annotations

from uuid import UUID, uuid5

# The namespace under which LangGraph servers name the assistant of a graph.
_ASSISTANTS = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")


def assistant_id(graph_id: str) -> str:
    """The id of the assistant that every graph has."""
    return str(uuid5(_ASSISTANTS, graph_id))
