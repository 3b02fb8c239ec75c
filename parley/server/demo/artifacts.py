"""Files and long texts that the demonstration makes (pure)."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping


def text_file(name: str, content: str) -> Mapping[str, object]:
    """A text file as LangChain's standard block."""
    return _block("file", name, "text/markdown", content.encode())


def picture(name: str, side: int = 96) -> Mapping[str, object]:
    """A small PNG, a colour gradient, as LangChain's standard block."""
    row = (bytes((x * 255 // side, y * 255 // side, 160)) for y in range(side) for x in range(side))
    pixels = b"".join(row)
    lines = b"".join(b"\0" + pixels[start : start + side * 3] for start in range(0, len(pixels), side * 3))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return _block(
        "image", name, "image/png", b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)
    )


def long_document(chapters: int = 8) -> str:
    """Markdown with headings, lists, a table and fenced code, longer than most platforms take at once."""
    parts = [
        "# A long document",
        "It is here to show how a long reply is split without breaking what is in it.",
        "| chapter | what it shows |\n| --- | --- |\n"
        + "\n".join(f"| {number} | paragraphs, a list and code |" for number in range(1, chapters + 1)),
    ]
    for number in range(1, chapters + 1):
        parts += [
            f"## Chapter {number}",
            f"**Chapter {number}** goes on for a while. "
            + "Words follow words, and *some* are emphasised. " * 8,
            "- a first point\n- a second one, with `code` in it\n- a third one",
            _code(number),
        ]
    return "\n\n".join(parts)


def _code(number: int) -> str:
    lines = (
        "```python",
        f"def chapter_{number}(words: list[str]) -> int:",
        '    """Count the words of a chapter."""',
        "    return sum(len(word) > 0 for word in words)",
        "```",
    )
    return "\n".join(lines)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _block(kind: str, name: str, mime: str, content: bytes) -> Mapping[str, object]:
    return {"type": kind, "base64": b64encode(content).decode(), "mime_type": mime, "filename": name}
