"""Documents of Word as Markdown, by way of HTML."""

from __future__ import annotations

import io

import mammoth

from .archive import rewrite
from .formulas import with_formulas
from .markdown import html_to_markdown
from .result import Result, text_result
from .xml_text import WORD, parse, written

_BODIES = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_STYLES = "word/styles.xml"


def read(content: bytes, most: int) -> Result:
    """Return the document's text. Pictures are named, not opened."""
    html = mammoth.convert_to_html(
        io.BytesIO(rewrite(content, _repaired)),
        style_map="u => u",
        convert_image=mammoth.images.img_element(_without_bytes),
    )
    return text_result(html_to_markdown(html.value), most)


def _without_bytes(image: mammoth.documents.Image) -> dict[str, str]:
    return {"src": f"data:{image.content_type};base64,"}


def _repaired(name: str, content: bytes) -> bytes:
    """Return an entry with what mammoth does not read put so that it does."""
    if name in _BODIES:
        return with_formulas(content.replace(b"w:dstrike", b"w:strike"))
    return _with_named_styles(content) if name == _STYLES else content


def _with_named_styles(content: bytes) -> bytes:
    """Return styles without those that nothing can use; one without a type is a paragraph's."""
    root = parse(content)
    for style in root.findall(f"{WORD}style"):
        if style.get(f"{WORD}styleId") is None:
            root.remove(style)
        elif style.get(f"{WORD}type") is None:
            style.set(f"{WORD}type", "paragraph")
    return written(root)
