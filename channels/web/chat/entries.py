"""What the transcript keeps and the page shows: entries, conversations, topics, files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import StringConstraints, TypeAdapter

from parley.channels.web.files.file_ref import FileRef
from parley.core.model.address import Conversation
from parley.core.model.feedback import FeedbackChoice
from parley.core.model.questions import Question
from parley.core.model.types import Step

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
"""An id made by the page: random, so that a repeated request is known again."""


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One message or reply of a conversation.

    `id` is the message's or the turn's. `pos` is its place: microseconds since 1970, never changed. A message
    may be `edited` at such a time (0: it was not), by the `edit` of that id; replies to it from before that
    are out of date.
    A message that is `withdrawn` was taken back before anybody began to answer it; one that `waits` is shown
    so until a reply to it grows: as many turns are under way as there may be. That is never stored.
    Only a reply that is still growing is not `final`; such an entry is never stored. `question` is what it
    asks for as long as that is open, `asks` how many entries with questions follow it. Of a reply that is
    `rateable` the person may say what they think, and `rating` is what they said last. `suggestions` are
    messages that the person may send next: they are offered while the reply is the newest entry.
    """

    id: str
    role: Literal["user", "agent"]
    pos: int
    text: str
    reply_to: str = ""
    steps: tuple[Step, ...] = ()
    files: tuple[FileRef, ...] = ()
    question: Question | None = None
    asks: int = 0
    final: bool = True
    edited: int = 0
    edit: str = ""
    withdrawn: bool = False
    waits: bool = False
    rateable: bool = False
    rating: FeedbackChoice | None = None
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file that was sent or delivered, and the entry that it stands in."""

    entry: str
    role: Literal["user", "agent"]
    pos: int
    file: FileRef


@dataclass(frozen=True, slots=True)
class WebTopic:
    """A side-thread of a conversation; `about` is the id of the entry it began at, or empty."""

    id: str
    title: str
    about: str
    created: float
    updated: float


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that is open: its entry, and the topic where that stands."""

    entry: str
    topic: str | None


@dataclass(frozen=True, slots=True)
class ChatConversation:
    """A conversation in the list. `named` says that a person chose its title, `waiting` what waits there for
    a decision. Times are Unix seconds.
    """

    id: str
    title: str
    named: bool
    created: float
    updated: float
    topics: tuple[WebTopic, ...] = ()
    waiting: tuple[OpenQuestion, ...] = ()

    def topic(self, topic_id: str) -> WebTopic | None:
        """Return the topic of that id, if there is one."""
        return next((topic for topic in self.topics if topic.id == topic_id), None)


@dataclass(frozen=True, slots=True)
class EntryLocation:
    """Where an entry belongs: a chat, or a topic within it."""

    chat: str
    topic: str | None = None

    @property
    def prefix(self) -> str:
        """Key prefix of this place's entries."""
        return f"web/log/{self.chat}/{self.topic or '-'}/"

    @property
    def conversation(self) -> Conversation:
        """The core's name for it."""
        return Conversation("web", self.chat, self.topic)


ENTRY: TypeAdapter[TranscriptEntry] = TypeAdapter(TranscriptEntry)
CHAT: TypeAdapter[ChatConversation] = TypeAdapter(ChatConversation)


def title_of(text: str) -> str:
    """Return a title out of a first message: its first line, cut between words at 60 characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= 60:
        return line
    head, space, _ = line[:60].rpartition(" ")
    return (head if space and len(head) > 30 else line[:60]).rstrip() + "…"


# No id from the page can begin so: ids have no colon.
STOP_PREFIX = "stop:"


def is_stop_press(message_id: str) -> bool:
    """Tell whether the message was a press of the stop button, which needs no answer but the stopping."""
    return message_id.startswith(STOP_PREFIX)
