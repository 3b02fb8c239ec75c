"""Sentence splitting, with Latin, Chinese and Japanese punctuation."""

from __future__ import annotations

import re

# A full stop ends a sentence only before a space: "v20.1" and "parley.example" are one word each.
# Of a run of marks only the first is tried: what fails there fails at each of them (linear time).
_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]]*+(?=\s)\s*|[。！？…]+[”’」』）]*\s*|\n+\s*")


def split_sentences(text: str) -> list[str]:
    """Return the sentences with what ends them; joined they are the text again."""
    found, start = [], 0
    for end in _END.finditer(text):
        found.append(text[start : end.end()])
        start = end.end()
    if start < len(text):
        found.append(text[start:])
    return found
