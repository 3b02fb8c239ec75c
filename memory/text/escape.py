"""Escaping of structural characters: once on the way into a prompt, undone once after it.

What is stored is always raw. A model may echo what it saw (`R&amp;D`) or what was meant (`R&D`): both are
read as the latter, so that repeated rounds change nothing.
"""

from __future__ import annotations

import re

_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ENTITY = re.compile("|".join(_ENTITIES))


def escaped(text: str) -> str:
    """Return the text with `&`, `<` and `>` as entities; quotes stay."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescaped(text: str) -> str:
    """Return the inverse of `escaped`, one layer only."""
    return _ENTITY.sub(lambda match: _ENTITIES[match[0]], text)
