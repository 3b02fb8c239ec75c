"""What a sound or a film is and how long it lasts, by its own header (pure)."""

from __future__ import annotations

import struct

_OPUS_RATE = 48_000
_LONGEST_PAGE = 65_307 + 27
"""Bytes of an Ogg page at most."""
_STARTS = (
    (b"OggS", "ogg"),
    (b"RIFF", "wav"),
    (b"fLaC", "flac"),
    (b"ID3", "mp3"),
    (b"\xff\xfb", "mp3"),
    (b"\xff\xf3", "mp3"),
    (b"\x1aE\xdf\xa3", "webm"),
    (b"#!AMR", "amr"),
)


def extension_of(content: bytes, name: str) -> str:
    """Return the ending by which services know a kind of sound: that of the content, else of the name."""
    for start, extension in _STARTS:
        if content.startswith(start):
            return extension
    if is_mpeg4(content):
        return "m4a"
    ending = name.rpartition(".")[2].lower()
    return ending if ending.isalnum() and ending.isascii() and len(ending) <= 5 else "ogg"


def is_opus(content: bytes) -> bool:
    """Tell whether this is Opus in Ogg, as voice messages are."""
    return content.startswith(b"OggS") and b"OpusHead" in content[:100]


def is_mpeg4(content: bytes) -> bool:
    """Tell whether this is an MPEG-4 file, a film or only a sound."""
    return content[4:8] == b"ftyp"


def seconds_of(content: bytes) -> float:
    """Return how long it lasts, as Ogg Opus, WAV and MPEG-4 files say; 0 where that is not known."""
    if content.startswith(b"OggS"):
        return _ogg(content)
    if content.startswith(b"RIFF"):
        return _wav(content)
    return _mpeg4(content) if is_mpeg4(content) else 0.0


def _ogg(content: bytes) -> float:
    """The last page says how many samples there were until its end."""
    if not is_opus(content):
        return 0.0
    start = max(len(content) - _LONGEST_PAGE, 0)
    at = content.rfind(b"OggS", start)
    if at < 0 or at + 14 > len(content):
        return 0.0
    samples: int = struct.unpack_from("<q", content, at + 6)[0]
    return max(samples, 0) / _OPUS_RATE


def _wav(content: bytes) -> float:
    if len(content) < 44 or content[12:16] != b"fmt ":
        return 0.0
    rate: int = struct.unpack_from("<I", content, 28)[0]
    return (len(content) - 44) / rate if rate else 0.0


def _mpeg4(content: bytes) -> float:
    """The header of the movie has its length in parts of a second."""
    at = content.find(b"mvhd")
    if at < 0 or at + 32 > len(content):
        return 0.0
    # Version 1 has times of eight bytes.
    layout, where = (">IQ", at + 24) if content[at + 4] == 1 else (">II", at + 16)
    if where + struct.calcsize(layout) > len(content):
        return 0.0
    scale: int
    length: int
    scale, length = struct.unpack_from(layout, content, where)
    return length / scale if scale else 0.0
