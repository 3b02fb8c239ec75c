"""Files as the messages that DingTalk has for them: pictures, speech, some documents, zip for the rest."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from parley.channels.dingtalk.api import DingTalkApi, file_type
from parley.channels.kit.files import file_gone, safe_name
from parley.core.attachments.audio_files import seconds_of
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.types import Json

FILE_TYPES = frozenset({"xlsx", "pdf", "zip", "rar", "doc", "docx"})
"""What a robot's file message may be; others arrive on phones without a name, or not at all."""
MOST_SPOKEN_BYTES = 2_000_000
MOST_SPOKEN_SECONDS = 60
"""Of a voice message. Longer speech is sent as a file."""
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/bmp"})


async def upload_speech(api: DingTalkApi, file: StoredFile) -> tuple[str, dict[str, Json]] | None:
    """Hand speech over; returns the kind of message that plays it, and its content. None for what DingTalk
    does not play: it takes AMR, MP3 and WAV for sure, and Opus perhaps.

    Raises ChannelError.
    """
    seconds = await asyncio.to_thread(_spoken_seconds, file)
    if not 0 < seconds <= MOST_SPOKEN_SECONDS:
        return None
    media = await api.upload(file, "voice")
    return "sampleAudio", {"mediaId": media, "duration": str(round(seconds * 1000))}


def _spoken_seconds(file: StoredFile) -> float:
    """Return how long speech lasts; 0 for what is too large, not known, or not there."""
    try:
        return seconds_of(Path(file.path).read_bytes()) if file.size <= MOST_SPOKEN_BYTES else 0.0
    except OSError:
        # Whoever uploads it finds out, too.
        return 0.0


async def upload_file(api: DingTalkApi, file: StoredFile) -> tuple[str, dict[str, Json]]:
    """Hand a file over; returns the kind of message that shows it, and its content.

    Raises ChannelError, above all AttachmentRefused.
    """
    if file.kind is AttachmentKind.IMAGE and file.mime in _IMAGES:
        return "sampleImageMsg", {"photoURL": await api.upload(file, "image")}
    api.check_size(file)
    if file_type(safe_name(file.name)) in FILE_TYPES:
        name, media = safe_name(file.name), await api.upload(file, "file")
    else:
        name, media = await _upload_zipped(api, file)
    return "sampleFile", {"mediaId": media, "fileName": name, "fileType": file_type(name)}


async def _upload_zipped(api: DingTalkApi, file: StoredFile) -> tuple[str, str]:
    """Hand a file of a type over that DingTalk does not know; returns the name of its zip file, and the media
    id. The zip file has no name on our disk: nothing is left of it, however the process ends.
    """
    name = f"{safe_name(file.name)}.zip"
    with tempfile.TemporaryFile() as zipped:
        try:
            size = await asyncio.to_thread(_zip, Path(file.path), safe_name(file.name), zipped)
        except FileNotFoundError as error:
            raise file_gone() from error
        document = replace(file, name=name, mime="application/zip", size=size)
        return name, await api.upload(document, "file", zipped)


def _zip(source: Path, name: str, into: BinaryIO) -> int:
    """Write a zip file of a file; returns its size in bytes."""
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        zipped.write(source, name)
    into.flush()
    return into.tell()
