"""Memory in a thread: one block, in the newest human message, and nowhere else.

The block goes in front of the person's words; with the next run the message before is sent again without
it, under its own id, so that it replaces itself. So memory neither piles up in the thread nor is it seen as
something the person said; prompts up to the last turn stay the same, and every provider takes it.
"""

from __future__ import annotations

from parley.core.model.types import Json

_OPEN, _CLOSE = "<memory>", "</memory>"


def strip_memory_blocks(state: Json) -> list[Json]:
    """The human messages of a thread's state that carry a block of memory, without it.

    Only what is still in the state may be sent again: a message that is gone would come back at the end.
    """
    values = state.get("values") if isinstance(state, dict) else None
    messages = values.get("messages") if isinstance(values, dict) else None
    found: list[Json] = []
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict) and message.get("type") in ("human", "user") and message.get("id"):
            content = message.get("content")
            if isinstance(content, list) and any(map(_is_memory, content)):
                rest = [block for block in content if not _is_memory(block)]
                found.append({"type": "human", "id": message["id"], "content": _simplest(rest)})
    return found


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
