"""A turn's files as the agent gets them: pictures as they are, all else as text between marks."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence

from parley.agent.files.reader import FileContent, FileReader, UnreadableFile
from parley.core.inbound.speakers import escape_end
from parley.core.model.attachments import StoredFile, UnreadFile, UnreadReason
from parley.core.model.sanitize import sanitize_name, sanitize_text
from parley.core.model.types import Json

# A beginning that is shorter than this tells nothing.
_LEAST_CHARACTERS = 200
_REASONS = {
    UnreadReason.UNKNOWN: "files of its kind cannot be read",
    UnreadReason.TOO_LARGE: "it is too large",
    UnreadReason.BROKEN: "it is damaged, or not what its name says",
    UnreadReason.LOCKED: "it is protected by a password",
    UnreadReason.EMPTY: "there is no text in it; it may be a scan",
    UnreadReason.SLOW: "reading it took too long",
    UnreadReason.NO_IMAGES: "pictures are not shown to you",
}


async def read_files(
    files: Sequence[StoredFile], documents: FileReader, *, pictures: bool
) -> tuple[list[Json], tuple[UnreadFile, ...]]:
    """A content block for each file, in order, and the files of which the agent does not get everything.

    `pictures` says that its model takes them. A file that cannot be given has a note in its block.
    """
    characters, picture_bytes = documents.limits.characters, documents.limits.picture_bytes
    blocks: list[Json] = []
    unread: list[UnreadFile] = []
    for file in files:
        try:
            content = await documents.read(file, max(characters, _LEAST_CHARACTERS), pictures=pictures)
            if len(content.picture) > picture_bytes or (content.text and characters < _LEAST_CHARACTERS):
                raise UnreadableFile(UnreadReason.TOO_LARGE)
        except UnreadableFile as error:
            unread.append(UnreadFile(file.name, error.trouble))
            blocks.append(_text_block(_note(file, _REASONS[error.trouble])))
            continue
        characters -= len(content.text)
        picture_bytes -= len(content.picture)
        if content.cut:
            unread.append(UnreadFile(file.name, UnreadReason.CUT))
        blocks.append(_block(file, content))
    return blocks, tuple(unread)


def placed_block(paths: Sequence[str]) -> list[Json]:
    """A block that tells where files are that the agent's server took; none where it took none."""
    known = ", ".join(filter(None, paths))
    return [_text_block(f"[In the workspace: {known}]")] if known else []


def _block(file: StoredFile, content: FileContent) -> Json:
    if content.picture:
        return {"type": "image", "base64": b64encode(content.picture).decode(), "mime_type": content.mime}
    end = "\n[cut here: the file is longer]" if content.cut else ""
    return _text_block(_marked(file, sanitize_text(content.text) + end))


def _marked(file: StoredFile, text: str) -> str:
    """The text of a file between marks that it cannot end itself."""
    inner = escape_end(text, "file")
    return f'<file name="{_safe(file.name)}" type="{_safe(file.mime)}">\n{inner}\n</file>'


def _note(file: StoredFile, reason: str) -> str:
    label = f'"{_safe(file.name)}" ({_safe(file.mime) or "unknown type"}), {file.size} bytes'
    return f"[Attached file {label}: its content is not included, {reason}]"


def _safe(name: str) -> str:
    return re.sub(r'["<>\[\]]+', "_", sanitize_name(name))[:120]


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}
