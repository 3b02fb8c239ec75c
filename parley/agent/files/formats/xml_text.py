"""XML of documents; the process that parses it is confined, its memory and time are bounded."""

from __future__ import annotations

from xml.etree import ElementTree as ET

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def parse(content: bytes) -> ET.Element:
    """Return the root. Raises ParseError."""
    return ET.fromstring(content)  # noqa: S314


def written(root: ET.Element) -> bytes:
    """Return XML in UTF-8."""
    return bytes(ET.tostring(root, encoding="utf-8"))
