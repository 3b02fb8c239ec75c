"""What the API answers, as types: a test holds each against a real answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parley.channels.web.chat.entries import ChatConversation, SharedFile, TranscriptEntry
from parley.core.model.feedback import Feedback
from parley.core.ports.channel import CommandInfo
from parley.core.ports.memory.admin import FailedTurn
from parley.core.state.pairing import PairingRequest


@dataclass(frozen=True, slots=True)
class ErrorReason:
    """`code` is for programs, `text` for people."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """A request that was not carried out."""

    error: ErrorReason


@dataclass(frozen=True, slots=True)
class HealthPart:
    """A part of this Parley; `since` is when it last changed (Unix seconds)."""

    name: str
    health: str
    detail: str
    since: float


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """Every part, and whether messages are accepted."""

    ready: bool
    parts: list[HealthPart]


@dataclass(frozen=True, slots=True)
class PairedAnswer:
    """An account that got access with a code; `by` gave it, `at` in Unix seconds."""

    account: str
    name: str
    by: str
    at: float


@dataclass(frozen=True, slots=True)
class PairingAnswer:
    """Who asks for access, on the first page, and a page of those who have it by a code.

    `after` leads to the next one, and is empty on the last.
    """

    requests: list[PairingRequest]
    paired: list[PairedAnswer]
    after: str


@dataclass(frozen=True, slots=True)
class LetterAnswer:
    """A message that was given up, by the number of its first item."""

    item: int
    kind: str
    conversation: str
    person: str
    name: str
    at: float
    reason: str
    items: list[int]


@dataclass(frozen=True, slots=True)
class LetterTextAnswer(LetterAnswer):
    """The same, with the message and the answer."""

    said: str
    answer: str


@dataclass(frozen=True, slots=True)
class LettersAnswer:
    """A page of them, newest first; `after` leads to the next one, and is empty on the last."""

    letters: list[LetterAnswer]
    after: str


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """A person, and the accounts that they linked."""

    person: str
    accounts: list[str]


@dataclass(frozen=True, slots=True)
class ErasureAnswer:
    """What was erased, by kind; `receipt` is the text of the receipt."""

    person: str
    accounts: list[str]
    unfinished: bool
    done: dict[str, int]
    receipt: str


@dataclass(frozen=True, slots=True)
class MemorySwitchAnswer:
    """Whether a person is remembered; `waiting` turns are still to be learned from. `damaged` names what
    holds a memory that cannot be read. `secrets` were masked, `orders` to the assistant kept as quotations,
    and `unsaid` statements left out, as nobody had made them.
    """

    id: str
    on: bool
    waiting: int
    damaged: str
    secrets: int
    orders: int
    unsaid: int


@dataclass(frozen=True, slots=True)
class ToldFactAnswer:
    """A fact that the agent was told, why, and the words of the person that it is about."""

    id: str
    content: str
    reason: Literal["words", "correction", "always", "sure"]
    words: list[str]


@dataclass(frozen=True, slots=True)
class MemoryToldAnswer:
    """What the agent was told for the last answer, if that is `known`; `others` counts lines beside these."""

    known: bool
    facts: list[ToldFactAnswer]
    others: int


@dataclass(frozen=True, slots=True)
class ImportPreviewAnswer:
    """What would become of memories, and the first `facts` that would be new."""

    added: int
    known: int
    left_out: int
    shortened: int
    secrets: int
    facts: list[str]


@dataclass(frozen=True, slots=True)
class MemorySearchAnswer:
    """The ids of the facts that are about some words, best first."""

    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryPeopleAnswer:
    """Some of those with a memory; `own` is the person of the chat page, `after` leads to the next page."""

    own: str
    people: list[str]
    after: str


@dataclass(frozen=True, slots=True)
class FailedTurnsAnswer:
    """Some of the turns that memory could not learn from; `after` leads to the next page."""

    dead_letters: list[FailedTurn]
    after: str


@dataclass(frozen=True, slots=True)
class PageUser:
    """Who writes on the page."""

    name: str


@dataclass(frozen=True, slots=True)
class HelloAnswer:
    """What the page must know once; `edits`: the last message can be changed."""

    user: PageUser
    commands: list[CommandInfo]
    max_upload: int
    edits: bool


@dataclass(frozen=True, slots=True)
class GrowingReply:
    """A reply that is being written."""

    chat: str
    topic: str | None
    id: str


@dataclass(frozen=True, slots=True)
class ConversationsAnswer:
    """All conversations, newest activity first."""

    conversations: list[ChatConversation]
    growing: list[GrowingReply]


@dataclass(frozen=True, slots=True)
class MessagesAnswer:
    """A page of entries, oldest first; `before` leads to older ones."""

    entries: list[TranscriptEntry]
    growing: list[TranscriptEntry]
    before: str


@dataclass(frozen=True, slots=True)
class FilesAnswer:
    """The newest files of a conversation, the newest first; `most` is how many are listed."""

    files: list[SharedFile]
    most: int


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model that people may choose."""

    name: str


@dataclass(frozen=True, slots=True)
class ModelsAnswer:
    """The models that people may choose from on the chat page; none where the agent does not tell."""

    models: list[OfferedModel]


@dataclass(frozen=True, slots=True)
class NoticeAnswer:
    """What the person who pressed a button is told."""

    text: str


@dataclass(frozen=True, slots=True)
class LogLinesAnswer:
    """The newest lines of the log, secrets masked."""

    lines: list[str]


@dataclass(frozen=True, slots=True)
class SupportLogAnswer:
    """The last records of the log, as a support bundle has them: messages without their values."""

    lines: list[dict[str, object]]


@dataclass(frozen=True, slots=True)
class FeedbackListAnswer:
    """What people think of answers; `most` is the largest limit."""

    feedback: list[Feedback]
    most: int
