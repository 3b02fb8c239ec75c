"""What a file is, told by its first bytes; names and declared types lie too often to be asked.

Only the program that reads files calls this (sandbox_main.py, which loads it from beside itself), as
what somebody sent is looked into there and nowhere else. Nothing of Parley is imported here.
"""

from __future__ import annotations

import re
from enum import StrEnum

_HEAD = 4096
_PICTURE = re.compile(
    rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP|BM.{4}\0\0\0\0|II\*\0|MM\0\*", re.DOTALL
)
_HTML = re.compile(rb"<(!doctype html|html)\b", re.IGNORECASE)
# What may stand before that.
_ASIDES = ((b"<!--", b"-->"), (b"<?xml", b"?>"))
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")


class ContentKind(StrEnum):
    """What can be done with a file."""

    IMAGE = "image"
    PDF = "pdf"
    PACKAGE = "package"
    """A zip archive, as the documents of Office are; the program that reads files looks which one it is."""
    DOCX = "docx"
    PPTX = "pptx"
    EPUB = "epub"
    XLSX = "xlsx"
    LOCKED = "locked"
    """A document of Office under a password."""
    HTML = "html"
    TEXT = "text"
    UNKNOWN = "unknown"


def kind_of(content: bytes) -> ContentKind:
    """Return the kind of a file with this content."""
    head = content[:_HEAD]
    if head.startswith(_OLE):
        return ContentKind.LOCKED if _ENCRYPTED in content else ContentKind.UNKNOWN
    if _PICTURE.match(head):
        return ContentKind.IMAGE
    if b"%PDF-" in head[:1024]:
        return ContentKind.PDF
    if head.startswith(b"PK\x03\x04"):
        return ContentKind.PACKAGE
    return _of_text(head)


def _of_text(head: bytes) -> ContentKind:
    if not head.startswith(_BOMS) and _NOT_TEXT.search(head):
        return ContentKind.UNKNOWN
    return ContentKind.HTML if _HTML.match(_without_asides(head.removeprefix(_BOMS[2]))) else ContentKind.TEXT


def _without_asides(head: bytes) -> bytes:
    """What follows the comments and the declaration that a page may begin with."""
    at = _after_blanks(head, 0)
    while closing := _closing(head[at : at + 5].lower()):
        end = head.find(closing, at)
        if end < 0:
            return b""
        at = _after_blanks(head, end + len(closing))
    return head[at:]


def _closing(begin: bytes) -> bytes:
    return next((closing for opening, closing in _ASIDES if begin.startswith(opening)), b"")


def _after_blanks(head: bytes, at: int) -> int:
    while head[at : at + 1].isspace():
        at += 1
    return at
