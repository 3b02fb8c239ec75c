"""What a reply looks like to a program: events while it grows, and the whole answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from parley.channels.web.chat.entries import TranscriptEntry
from parley.channels.web.files.file_ref import FileRef
from parley.core.model.questions import Question
from parley.core.model.types import Step


@dataclass(frozen=True, slots=True)
class MessageStored:
    """The message is on disk; from now on it is answered whatever happens to this program."""

    thread: str
    message: str


@dataclass(frozen=True, slots=True)
class TextAdded:
    """The reply grew by this text."""

    reply: str
    text: str


@dataclass(frozen=True, slots=True)
class TextReplaced:
    """The reply has another text now: this one."""

    reply: str
    text: str


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step began, or changed its state."""

    reply: str
    step: Step


@dataclass(frozen=True, slots=True)
class FileDelivered:
    """The agent delivered a file: `files.read` has its bytes."""

    reply: str
    file: FileRef


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The agent waits for a decision: `decide` gives it."""

    reply: str
    question: Question


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """The reply, or a question that follows it, is whole; the transcript has it."""

    reply: str
    entry: TranscriptEntry


StreamEvent: TypeAlias = (
    MessageStored | TextAdded | TextReplaced | StepShown | FileDelivered | QuestionAsked | ReplyFinished
)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A whole answer: its `entries` are the reply, and the questions that follow it.

    `thread`, `topic` and `message` say to what it is the answer.
    """

    thread: str
    topic: str
    message: str
    entries: tuple[TranscriptEntry, ...]

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """Return all that was said."""
        return "\n\n".join(entry.text for entry in self.entries if entry.text)

    @property
    def questions(self) -> Sequence[Question]:
        """Return what waits for a decision, in order."""
        return tuple(entry.question for entry in self.entries if entry.question is not None)

    @property
    def files(self) -> Sequence[FileRef]:
        """Return the files that were delivered."""
        return tuple(file for entry in self.entries for file in entry.files)

    @property
    def suggestions(self) -> Sequence[str]:
        """Return the messages that may be sent next: `send` takes one of them."""
        return tuple(text for entry in self.entries for text in entry.suggestions)

    @property
    def steps(self) -> Sequence[Step]:
        """Return what was done on the way."""
        return tuple(step for entry in self.entries for step in entry.steps)


def compare_entries(before: TranscriptEntry | None, after: TranscriptEntry) -> Iterator[StreamEvent]:
    """Yield what is new of a reply since it was last seen."""
    text, steps = (before.text, before.steps) if before else ("", ())
    if not after.text.startswith(text):
        yield TextReplaced(after.id, after.text)
    elif added := after.text[len(text) :]:
        yield TextAdded(after.id, added)
    for step in after.steps:
        if step not in steps:
            yield StepShown(after.id, step)
    if not after.final:
        return
    for file in after.files:
        yield FileDelivered(after.id, file)
    if after.question is not None:
        yield QuestionAsked(after.id, after.question)
    yield ReplyFinished(after.id, after)
