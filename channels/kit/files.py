"""Files on their way in: safe names, kinds as people call them, sizes that stay under their limit."""

from __future__ import annotations

import asyncio
import mimetypes
import re
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath

from parley.channels.kit.text import byte_length, chunks, wellformed
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import AttachmentRefused, ChannelError
from parley.core.texts import Sentence, language_of, say

CHUNK = 256 * 1024
"""Bytes of one piece."""
MOST_NAME = 120
"""Bytes of a file name; file systems take 255, and prefixes and suffixes must fit too."""

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]')
_KINDS = {
    "image": AttachmentKind.IMAGE,
    "audio": AttachmentKind.AUDIO,
    "video": AttachmentKind.VIDEO,
}


def safe_name(name: str, default: str = "file") -> str:
    """Return a name with its suffix, without folders and control characters, of at most MOST_NAME bytes."""
    last = re.split(r"[/\\]", wellformed(name))[-1]
    clean = _FORBIDDEN.sub("_", last).strip(" .")
    if not clean:
        return default
    suffix = PurePosixPath(clean).suffix
    if byte_length(suffix) > 20:
        suffix = ""
    stem = clean.removesuffix(suffix) if suffix else clean
    short = next(chunks(stem, MOST_NAME - byte_length(suffix), byte_length), "")
    return short.strip(" .") + suffix


def kind_of(mime: str, name: str = "") -> AttachmentKind:
    """Return what people would call the file; the name counts where the platform gives no type."""
    if not mime or mime == "application/octet-stream":
        mime = mimetypes.guess_type(name)[0] or mime
    return _KINDS.get(mime.partition("/")[0].lower(), AttachmentKind.FILE)


def human_size(size: int) -> str:
    """Return a size as people read it, in powers of ten."""
    if size < 1_000_000:
        return f"{max(1, round(size / 1000))} kB"
    return f"{size / 1_000_000:.1f} MB".replace(".0 ", " ")


async def save_chunks(pieces: AsyncIterator[bytes], into: Path, limit: int) -> int:
    """Write pieces to a file that appears under its name only when whole; returns the number of bytes.

    Raises AttachmentRefused when there are more than `limit`; nothing is left behind then.
    """
    part = into.with_name(into.name + ".part")
    written = 0
    try:
        with await asyncio.to_thread(part.open, "wb") as file:
            async for piece in pieces:
                written += len(piece)
                if written > limit:
                    raise file_too_large(limit)
                await asyncio.to_thread(file.write, piece)
        await asyncio.to_thread(part.replace, into)
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)
    return written


def file_too_large(limit: int) -> AttachmentRefused:
    """Return what is said of a file of more than `limit` bytes."""
    most = human_size(limit)
    return AttachmentRefused(f"larger than {most}", Sentence.FILE_OVER_LIMIT, limit=most)


def file_gone() -> AttachmentRefused:
    """Return what is said of a file that its platform no longer has."""
    return AttachmentRefused("no longer available", Sentence.FILE_GONE)


def file_withheld(details: str) -> AttachmentRefused:
    """Return what is said of a file that its platform keeps from us; `details` are for the log."""
    return AttachmentRefused(details, Sentence.FILE_WITHHELD)


def unsent_file_text(file: StoredFile, error: ChannelError, language: str) -> str:
    """Return what stands in place of a file that a platform did not take. `language` is a tag (BCP 47)."""
    spoken = language_of(language)
    if isinstance(error, AttachmentRefused):
        reason = error.explain(spoken)
    else:
        reason = say(spoken, Sentence.FILE_REFUSED)
    name = f"{file.name} ({human_size(file.size)})"
    return say(spoken, Sentence.FILE_LEFT_OUT, name=name, reason=reason)


async def copy_file(source: Path, into: Path, limit: int) -> int:
    """Copy a file of this machine; returns the number of bytes. Raises AttachmentRefused."""

    async def pieces() -> AsyncIterator[bytes]:
        with await asyncio.to_thread(source.open, "rb") as file:
            while piece := await asyncio.to_thread(file.read, CHUNK):
                yield piece

    try:
        return await save_chunks(pieces(), into, limit)
    except FileNotFoundError:
        raise file_gone() from None
