"""What a file is, told by its first bytes; names and declared types lie too often to be asked."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

_HEAD = 4096
_PICTURE = re.compile(
    rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP|BM.{4}\0\0\0\0|II\*\0|MM\0\*", re.DOTALL
)
_HTML = re.compile(rb"\s*(<!--.*?-->\s*|<\?xml.*?\?>\s*)*<(!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")


class Kind(StrEnum):
    """What can be done with a file."""

    IMAGE = "image"
    PDF = "pdf"
    PACKAGE = "package"
    """A zip archive, as the documents of Office are."""
    LOCKED = "locked"
    """A document of Office under a password."""
    HTML = "html"
    TEXT = "text"
    UNKNOWN = "unknown"


def kind_of(path: Path) -> Kind:
    """The kind of a file. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if head.startswith(_OLE):
            return Kind.LOCKED if _ENCRYPTED in head + file.read() else Kind.UNKNOWN
    if _PICTURE.match(head):
        return Kind.IMAGE
    if b"%PDF-" in head[:1024]:
        return Kind.PDF
    if head.startswith(b"PK\x03\x04"):
        return Kind.PACKAGE
    return _of_text(head)


def _of_text(head: bytes) -> Kind:
    if not head.startswith(_BOMS) and _NOT_TEXT.search(head):
        return Kind.UNKNOWN
    return Kind.HTML if _HTML.match(head.removeprefix(_BOMS[2])) else Kind.TEXT
