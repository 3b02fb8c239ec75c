"""What a langgraph.json gives to its server: who may speak, and how the store searches."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> str:
    """Take a person's word for it: what a handler can tell apart is tested, not whom it lets in."""
    return unquote(headers.get(b"x-parley-person", b"nobody").decode())


async def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return the meaning of texts: their length, and how many vowels they have."""
    return [[float(len(text)), float(sum(text.count(vowel) for vowel in "aeiou"))] for text in texts]
