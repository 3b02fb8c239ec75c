"""What a command knows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from parley.core.model.address import Conversation
from parley.core.model.attachments import StoredFile
from parley.core.model.types import InboundMessage
from parley.core.services import CoreServices
from parley.core.texts import MemorySentence, Sentence, say


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What a command says, with files where words are too many."""

    text: str
    files: tuple[StoredFile, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandContext:
    """A command in its conversation. `item` is its place in the order of accepted messages.

    `stop` ends the conversation's running turn and tells whether there was one.
    """

    services: CoreServices
    message: InboundMessage
    item: int
    stop: Callable[[Conversation], Awaitable[bool]]

    @property
    def conversation(self) -> Conversation:
        return self.message.conversation

    def say(self, sentence: Sentence | MemorySentence, **values: object) -> str:
        """Return a sentence in the language of who asks."""
        return say(self.services.language(self.message), sentence, **values)
