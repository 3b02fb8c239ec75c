"""A file of a conversation, as the page and the transcript name it."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass

from parley.core.model.attachments import Attachment, AttachmentKind


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file on our shelf; `size` is in bytes."""

    id: str
    name: str
    mime: str
    size: int
    kind: AttachmentKind

    def attachment(self) -> Attachment:
        """Return the same file as the core sees it."""
        return Attachment(self.kind, self.name, self.mime, self.size, handle=self.id)


_KINDS = {"image": AttachmentKind.IMAGE, "audio": AttachmentKind.AUDIO, "video": AttachmentKind.VIDEO}


def kind_of(mime: str) -> AttachmentKind:
    """Return what a person would call a file of this type."""
    return _KINDS.get(mime.partition("/")[0], AttachmentKind.FILE)


def mime_of(name: str, declared: str) -> str:
    """Return the declared type, or a guess by name where nothing useful was declared."""
    if declared and declared != "application/octet-stream":
        return declared
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
