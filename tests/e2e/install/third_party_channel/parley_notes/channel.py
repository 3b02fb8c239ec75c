"""Reads questions, and writes answers down."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from pathlib import Path

from pydantic import ValidationError

from parley.channels.kit.files import kind_of
from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment
from parley.core.model.errors import AttachmentRefused, ChannelUnavailable
from parley.core.model.types import InboundMessage, OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import (
    Capabilities,
    Channel,
    ChannelServices,
    Checkpoint,
    Inbox,
    Reply,
)
from parley.core.texts import Sentence
from parley_notes.config import Config
from parley_notes.lines import File, Question, complete_lines, write_answer

log = logging.getLogger(__name__)

_PAUSE = 0.05
"""Seconds between two looks at the file."""
_ANY = "application/octet-stream"


class NotesReply(Reply):
    """One answer. Its line has the turn's id: what is written again after a crash is no second answer."""

    def __init__(self, answers: Path) -> None:
        self._answers = answers

    async def show(self, snapshot: OutboundMessage) -> None:
        """Write how far the answer is."""
        await self._write(snapshot)

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Write the answer."""
        await self._write(snapshot)
        return Receipt((snapshot.turn_id,))

    async def _write(self, snapshot: OutboundMessage) -> None:
        try:
            await asyncio.to_thread(write_answer, self._answers, snapshot)
        except OSError as error:
            raise ChannelUnavailable(f"{self._answers} cannot be written: {error}") from error


class NotesChannel(Channel):
    """A file as a chat: everybody who writes into it talks to the bot alone."""

    def __init__(self, config: Config, capabilities: Capabilities, name: str) -> None:
        self.name = name
        self.capabilities = capabilities
        self._questions, self._answers = Path(config.questions), Path(config.answers)

    async def listen(self, inbox: Inbox) -> None:
        """Hand over each line: after a restart again, which the core knows by their ids."""
        inbox.online()
        read = 0
        while True:
            lines = await asyncio.to_thread(complete_lines, self._questions)
            for number, line in enumerate(lines[read:], read):
                if message := self._message(number, line):
                    await inbox.accept(message)
            read = len(lines)
            await asyncio.sleep(_PAUSE)

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return the answer to a line."""
        return NotesReply(self._answers)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Copy a file."""
        return await asyncio.to_thread(_copy, Path(attachment.handle), into, limit)

    def _message(self, number: int, line: bytes) -> InboundMessage | None:
        try:
            question = Question.model_validate_json(line)
        except ValidationError:
            log.warning("line %d of the questions is left out: it is no question", number + 1)
            return None
        return InboundMessage(
            id=f"line-{number}",
            conversation=Conversation(self.name, question.person),
            sender=User(self.name, question.person, question.person),
            text=question.text,
            addressed=True,
            private=True,
            sent_at=time.time(),
            attachments=tuple(map(_attachment, question.files)),
        )


def _attachment(file: File) -> Attachment:
    return Attachment(kind_of(_ANY, file.name), file.name, _ANY, 0, file.path)


def _copy(file: Path, into: Path, limit: int) -> int:
    try:
        size = file.stat().st_size
        if size > limit:
            raise AttachmentRefused(f"{file.name} has {size} bytes", Sentence.FILE_TOO_LARGE)
        shutil.copyfile(file, into)
    except OSError as error:
        raise AttachmentRefused(f"{file.name} cannot be read: {error}", Sentence.FILE_GONE) from error
    return size


def create(config: Config, services: ChannelServices) -> NotesChannel:
    """Make the channel, under the name of its section."""
    capabilities = Capabilities(
        max_chars=4000,
        edit_interval=1.0,
        group_edit_interval=1.0,
        buttons=False,
    )
    return NotesChannel(config, capabilities, services.name)
