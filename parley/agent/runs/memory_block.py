"""Memory in a thread: one message of its own before the newest of the person's, and nowhere else.

With the next run the message of the run before is removed. Earlier versions put a block of memory into the
person's own message: such a message is sent again without it, under its own id, so that it replaces itself.
"""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

from parley.core.model.types import Json

MEMORY_KIND = "memory"
_OPEN, _CLOSE = "<memory>", "</memory>"


def companion_id(message_id: str, kind: str) -> str:
    """The id of the message that stands before a person's: the same with each try, and nobody else's."""
    return str(uuid5(NAMESPACE_URL, f"parley:{message_id}:{kind}"))


def strip_memory(state: Json, kept: str = "") -> list[Json]:
    """What takes the memory of earlier runs out of a thread's state: removals, and messages without a block.

    Only what is still in the state may be named: a message that is gone would come back at the end, and the
    removal of an unknown one fails the run. `kept` is the id of a message that comes again anyway.
    """
    values = state.get("values") if isinstance(state, dict) else None
    messages = values.get("messages") if isinstance(values, dict) else None
    known = {
        identity: message
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, dict) and isinstance(identity := message.get("id"), str) and identity
    }
    found: list[Json] = []
    for identity, message in known.items():
        if message.get("type") not in ("human", "user"):
            continue
        placed = companion_id(identity, MEMORY_KIND)
        if placed in known and placed != kept:
            found.append({"type": "remove", "id": placed, "content": ""})
        content = message.get("content")
        if isinstance(content, list) and any(map(_is_memory, content)):
            rest = [block for block in content if not _is_memory(block)]
            found.append({**_as_written(message), "content": _simplest(rest)})
    return found


def _as_written(message: dict[str, Json]) -> dict[str, Json]:
    """A message's identity: who wrote it stays with it."""
    name = message.get("name")
    named: dict[str, Json] = {"name": name} if isinstance(name, str) and name else {}
    return {"type": "human", "id": message["id"], **named}


def _is_memory(block: Json) -> bool:
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    return isinstance(text, str) and text.startswith(_OPEN) and text.rstrip().endswith(_CLOSE)


def _simplest(blocks: list[Json]) -> Json:
    """A message of one text alone was a plain string, as it is without memory."""
    if not blocks:
        return ""
    only = blocks[0]
    if len(blocks) == 1 and isinstance(only, dict) and only.get("type") == "text":
        return only.get("text")
    return blocks
