"""HTML as Markdown."""

from __future__ import annotations

from .markdown import html_to_markdown
from .result import Result, text_result


def read(content: bytes, most: int) -> Result:
    """Return the page's text."""
    return text_result(html_to_markdown(content), most)
