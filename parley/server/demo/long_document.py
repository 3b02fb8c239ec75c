"""A text that is longer than most platforms take at once (pure)."""

from __future__ import annotations

_WORDS = "Words follow words, and *some* are emphasised. " * 9
_CHAPTER = """

## Chapter {0}

**Chapter {0}** goes on for a while. {1}

- a first point
- a second one, with `code` in it

```python
def chapter_{0}(words: list[str]) -> int:
    return sum(len(word) > 0 for word in words)
```"""


def long_document(chapters: int = 8) -> str:
    """Markdown with headings, lists, a table and fenced code."""
    numbers = range(1, chapters + 1)
    rows = "".join(f"\n| {number} | a paragraph, a list and code |" for number in numbers)
    start = f"# A long document\n\n| chapter | what it shows |\n| --- | --- |{rows}"
    return start + "".join(_CHAPTER.format(number, _WORDS) for number in numbers)
