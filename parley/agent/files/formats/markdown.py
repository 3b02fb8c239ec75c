"""Markdown from HTML, and Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, urlsplit, urlunsplit

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

_FOLLOWED = ("", "http", "https", "file")
_ESCAPED = re.compile(r"(%[0-9A-Fa-f]{2})")
_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def html_to_markdown(content: bytes | str) -> str:
    """Return the body of a page as Markdown; where its elements lie too deep, its bare text."""
    encoding = "utf-8" if isinstance(content, bytes) else None
    soup = BeautifulSoup(content, "html.parser", from_encoding=encoding)
    body = soup.find("body") or soup
    for element in soup(["script", "style"]):
        element.extract()
    for element in body(["a", "img", "input", "strike", "u"]):
        _simplify(element)
    try:
        return MarkdownConverter(heading_style=ATX).convert_soup(body).strip()
    except RecursionError:
        return body.get_text("\n", strip=True)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a Markdown table, the first one as its head."""
    width = max(map(len, rows), default=0)
    lines = [_line([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join([*lines[:1], _line(["---"] * width), *lines[1:]])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_BREAKS.sub(' ', cell.strip()).replace('|', chr(92) + '|') for cell in cells)} |"


def _simplify(element: Tag) -> None:
    """Put Markdown where the converter has none, and leave out addresses that are of no use."""
    if element.name == "a" and "href" in element.attrs:
        _simplify_link(element)
    elif element.name == "img":
        _simplify_picture(element)
    elif element.name == "input":
        checked = "[x] " if "checked" in element.attrs else "[ ] "
        element.replace_with(checked if element.get("type") == "checkbox" else "")
    elif element.name == "strike":
        element.name = "s"
    elif element.name == "u" and element.get_text(strip=True):
        element.insert(0, "<u>")
        element.append("</u>")


def _simplify_link(element: Tag) -> None:
    if (address := _address(str(element["href"]))) is None:
        del element["href"]
    else:
        element["href"] = address


def _address(link: str) -> str | None:
    """Return where a link leads, its path in plain characters; None where nobody should follow it."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    if parts.scheme.lower() not in _FOLLOWED:
        return None
    pieces = _ESCAPED.split(parts.path)
    path = "".join(piece if _ESCAPED.fullmatch(piece) else quote(piece) for piece in pieces)
    return urlunsplit(parts._replace(path=path))


def _simplify_picture(element: Tag) -> None:
    """Leave out the bytes of a picture that stands in the page."""
    source, later = str(element.get("src") or ""), str(element.get("data-src") or "")
    within = source[:5].lower() == "data:"
    if later and (within or not source):
        source = later
    elif within:
        source = source.partition(",")[0] + "..."
    element["src"] = source
