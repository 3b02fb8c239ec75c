"""EPUB books: what they say of themselves, and their chapters in the order of reading."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from .markdown import html_to_markdown
from .result import Result, text_result
from .xml_text import parse

_CONTAINER = "META-INF/container.xml"
_ROOT = "{*}rootfiles/{*}rootfile"
_ABOUT = {
    "Title": "title",
    "Authors": "creator",
    "Language": "language",
    "Publisher": "publisher",
    "Date": "date",
    "Description": "description",
    "Identifier": "identifier",
}


def read(content: bytes, most: int) -> Result:
    """Return the book's text, up to the chapter that fills it."""
    parts: list[str] = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for part in _parts(archive):
            parts.append(part)
            if sum(map(len, parts)) > most:
                break
    return text_result("\n\n".join(parts), most)


def _parts(archive: zipfile.ZipFile) -> Iterator[str]:
    root = _xml(archive, _CONTAINER).find(_ROOT)
    path = root.get("full-path", "") if root is not None else ""
    package = _xml(archive, path)
    yield _about(package)
    names = set(archive.namelist())
    files = {item.get("id"): item.get("href", "") for item in package.iterfind("{*}manifest/{*}item")}
    for reference in package.iterfind("{*}spine/{*}itemref"):
        href = files.get(reference.get("idref"), "")
        for name in (unquote(href), href):
            entry = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if entry in names:
                yield html_to_markdown(archive.read(entry))
                break


def _xml(archive: zipfile.ZipFile, name: str) -> Element:
    return parse(archive.read(name))


def _about(package: Element) -> str:
    lines = []
    for label, name in _ABOUT.items():
        texts = ("".join(each.itertext()).strip() for each in package.iterfind(f".//{{*}}{name}"))
        if text := ", ".join(filter(None, texts)):
            lines.append(f"**{label}:** {text}")
    return "\n".join(lines)
