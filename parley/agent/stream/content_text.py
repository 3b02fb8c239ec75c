"""The words of a message's content (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import quote

from parley.agent.transport.decoding import string
from parley.core.model.types import Json

_TEXT_BLOCKS = ("text", "output_text")
REASONING_BLOCKS = ("reasoning", "thinking", "redacted_thinking", "reasoning_content")
_MOST_SUMMARIES = 100
_MOST_SOURCES = 20
_MOST_CITED = 200
"""Citations that are looked at: each is looked for in the whole text."""
_LONGEST_TITLE = 120
_LONGEST_URL = 2_000
_TITLE_MARKS = re.compile(r"[\[\]\\`*_<>|]")
_URL_SAFE = "/:?#@!$&'*+,;=%-._~"


def text_of(content: Json) -> str:
    """The text of a message's content: a string, or its text blocks; reasoning and the rest left out.

    A refusal is what the assistant says, too.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    return "".join(map(_block_text, content))


def reasoning_of(content: Json) -> str:
    """Return what a model says while it thinks, from its blocks for that; "" where it keeps it to itself."""
    blocks = content if isinstance(content, list) else [content]
    return "".join(map(_block_reasoning, blocks))


def cite_sources(text: str, content: Json) -> str:
    """`text` with links to the pages that its blocks cite; those that it links itself are left out."""
    links: dict[str, str] = {}
    for url, name in islice(_sources(content), _MOST_CITED):
        if len(links) < _MOST_SOURCES and url not in text and url not in links:
            links[url] = f"[{_title(name) or _title(url)}]({quote(url, safe=_URL_SAFE)})"
    if not links:
        return text
    listed = list(links.values())
    if len(listed) > 1:
        listed = [f"{number}. {link}" for number, link in enumerate(listed, 1)]
    return "\n\n".join((text, "\n".join(listed)))


def _block_text(block: Json) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return ""
    kind = block.get("type")
    if kind in _TEXT_BLOCKS:
        return string(block.get("text"))
    if kind == "refusal":
        return string(block.get("refusal"))
    inner = block.get("value")
    if kind == "non_standard" and isinstance(inner, dict) and inner.get("type") == "refusal":
        return string(inner.get("refusal"))
    return ""


def _block_reasoning(block: Json) -> str:
    """Return the words of a block of LangChain, Anthropic, OpenAI (a summary) or Bedrock."""
    if not isinstance(block, dict) or (kind := block.get("type")) not in REASONING_BLOCKS:
        return ""
    if isinstance(parts := block.get("summary"), list):
        told = (string(part.get("text")) for part in parts[:_MOST_SUMMARIES] if isinstance(part, dict))
        return "\n\n".join(filter(None, told))
    words = block.get(string(kind))
    return string(words.get("text")) if isinstance(words, dict) else string(words)


def _sources(content: Json) -> Iterator[tuple[str, str]]:
    """Address and title of what the text blocks cite: LangChain's and OpenAI's annotations, Anthropic's
    citations.
    """
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") not in _TEXT_BLOCKS:
            continue
        for key in ("annotations", "citations"):
            told = block.get(key)
            for each in told if isinstance(told, list) else ():
                if isinstance(each, dict):
                    url = string(each.get("url"))
                    if url.startswith(("https://", "http://")) and len(url) <= _LONGEST_URL:
                        yield url, string(each.get("title"))


def _title(name: str) -> str:
    """A title that cannot end its link or mark anything up."""
    return " ".join(_TITLE_MARKS.sub(" ", name[: 2 * _LONGEST_TITLE]).split())[:_LONGEST_TITLE]
