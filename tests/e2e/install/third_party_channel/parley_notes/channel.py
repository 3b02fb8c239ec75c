"""Reads questions, and writes answers down."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment
from parley.core.model.errors import AttachmentRefused
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

_ANN = User("notes", "ann", "Ann")


class NotesReply(Reply):
    """One answer."""

    def __init__(self, answers: Path) -> None:
        self._answers = answers

    async def show(self, snapshot: OutboundMessage) -> None:
        """Show nothing before the end."""

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Write the answer."""
        with self._answers.open("a", encoding="utf-8") as file:
            file.write(snapshot.text + "\n")
        return Receipt((snapshot.turn_id,))


class NotesChannel(Channel):
    """A file as a chat."""

    name = "notes"

    def __init__(self, config: Config, capabilities: Capabilities) -> None:
        self.capabilities = capabilities
        self._answers = Path(config.answers)
        self._lines = Path(config.questions).read_text("utf-8").splitlines()

    async def listen(self, inbox: Inbox) -> None:
        """Hand each line over once."""
        inbox.online()
        for number, line in enumerate(self._lines):
            await inbox.accept(
                InboundMessage(
                    id=f"line-{number}",
                    conversation=Conversation("notes", "file"),
                    sender=_ANN,
                    text=line,
                    addressed=True,
                    private=True,
                    sent_at=time.time(),
                )
            )
        await asyncio.Event().wait()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return the answer to a line."""
        return NotesReply(self._answers)

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Refuse: lines have no files."""
        raise AttachmentRefused("Lines have no files.", Sentence.FILE_GONE)


def create(config: Config, services: ChannelServices) -> NotesChannel:
    """Make the channel."""
    capabilities = Capabilities(
        max_chars=4000,
        edit_interval=1.0,
        group_edit_interval=1.0,
        buttons=False,
    )
    return NotesChannel(config, capabilities)
