"""What stands in a line of the two files."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from pydantic import BaseModel, Field

from parley.core.model.types import OutboundMessage


class File(BaseModel):
    """A file beside the lines: its name for people, and its path."""

    name: str
    path: str


class Question(BaseModel):
    """What somebody says."""

    person: str = Field(min_length=1)
    text: str = ""
    files: list[File] = []


class Answer(BaseModel):
    """What is said to somebody; of several lines with one id the last one holds."""

    id: str
    person: str
    text: str
    files: list[File] = []
    final: bool = False


def complete_lines(path: Path) -> list[bytes]:
    """Return the lines that are written to their end."""
    try:
        return path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def write_answer(path: Path, snapshot: OutboundMessage) -> None:
    """Add a line, and copy the files: ours may go when the answer is delivered."""
    files = []
    for number, file in enumerate(snapshot.attachments):
        # Neither turn ids nor names are ours to put into a path.
        copy = path.with_name(f"{hashlib.sha256(snapshot.turn_id.encode()).hexdigest()}-{number}")
        shutil.copyfile(file.path, copy)
        files.append(File(name=file.name, path=str(copy)))
    answer = Answer(
        id=snapshot.turn_id,
        person=snapshot.conversation.chat,
        text=snapshot.text,
        files=files,
        final=snapshot.final,
    )
    with path.open("ab") as lines:
        lines.write(answer.model_dump_json().encode() + b"\n")
