"""The files of a message."""

from __future__ import annotations

from typing import TypeAlias

from telegram import Animation, Audio, Document, Message, Video, VideoNote, Voice

from parley.channels.kit.files import kind_of, safe_name
from parley.core.model.attachments import Attachment, AttachmentKind

_Sent: TypeAlias = Animation | Audio | Document | Video | VideoNote | Voice


def attachments_of(message: Message) -> tuple[Attachment, ...]:
    """Return a message's file, a photo in its largest size; at most one, as Telegram has it."""
    if message.photo:
        largest = max(message.photo, key=lambda size: size.width * size.height)
        name = f"photo_{message.message_id}.jpg"
        size = largest.file_size or 0
        return (Attachment(AttachmentKind.IMAGE, name, "image/jpeg", size, largest.file_id),)
    for sent, stem, mime in (
        # An animation comes as a document too, so it goes first.
        (message.animation, "animation.mp4", "video/mp4"),
        (message.document, "document", "application/octet-stream"),
        (message.audio, "audio.mp3", "audio/mpeg"),
        (message.voice, "voice.ogg", "audio/ogg"),
        (message.video, "video.mp4", "video/mp4"),
        (message.video_note, "video.mp4", "video/mp4"),
    ):
        if sent is not None:
            return (_attachment(sent, stem, mime),)
    return ()


def _attachment(sent: _Sent, default_name: str, default_mime: str) -> Attachment:
    given = "" if isinstance(sent, Voice | VideoNote) else sent.file_name or ""
    mime = default_mime if isinstance(sent, VideoNote) else sent.mime_type or default_mime
    name = safe_name(given, default_name)
    spoken = isinstance(sent, Voice | VideoNote)
    return Attachment(kind_of(mime, name), name, mime, _bytes(sent.file_size), sent.file_id, voice=spoken)


def _bytes(size: int | None) -> int:
    return size if isinstance(size, int) and size > 0 else 0
