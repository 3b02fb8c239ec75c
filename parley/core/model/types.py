"""Frozen values that cross packages. Times are Unix seconds, sizes are bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from parley.core.model.address import Conversation, RunIdentity, User, ViewedItem
from parley.core.model.attachments import Attachment, StoredFile, UnreadFile, UnsentFile
from parley.core.model.errors import FailureCause
from parley.core.model.questions import Question, ResumeInput
from parley.core.model.usage import TokenUsage

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "Mapping[str, Json]"


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """What somebody wrote.

    `id` is the platform's own stable id within the channel: the dedupe key. `text` has our own mention
    removed. `addressed` says that the message is meant for us. `group` is the platform's id of an album: its
    messages are one turn. `resumes` is the turn whose questions are all decided, in a message of ours that
    makes its run go on. `retries` names the wish to have messages answered again: those of one wish are one
    turn. `edits` is the id of the message that its writer changed into this one. `replies_to` is the id of
    the message that it was written as a reply to, where the platform tells, in the form of those in a
    `Receipt`. `chat_kind` is what the chat is where that is more than private or a group, `link` the
    message's address on its platform. `viewing` is what its writer looked at beside a private chat. `follows`
    is the id of the message whose answer offered this one as a button: it was pressed, and the chat does not
    show it.
    """

    id: str
    conversation: Conversation
    sender: User
    text: str
    addressed: bool
    private: bool
    sent_at: float
    attachments: tuple[Attachment, ...] = ()
    quoted: str = ""
    group: str = ""
    resumes: str = ""
    retries: str = ""
    edits: str = ""
    replies_to: str = ""
    chat_kind: str = ""
    link: str = ""
    viewing: tuple[ViewedItem, ...] = ()
    follows: str = ""

    @property
    def reply_to(self) -> str:
        """Return the id of the message on the platform that the answer replies to."""
        return self.follows or self.id


class StepStatus(StrEnum):
    """How far a step has come."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StepSource:
    """A page or document that a step used."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Step:
    """A tool call or node; its agent meant `details` (what it works on) and `output` for people."""

    id: str
    title: str
    status: StepStatus
    details: str = ""
    output: str = ""
    sources: tuple[StepSource, ...] = ()


@dataclass(frozen=True, slots=True)
class OutboundMessage:
    """A turn's whole reply at one moment. A newer snapshot replaces an older; a final is never dropped.

    `question` is what this message asks; `asks` says how many such messages follow it. Of one that is
    `rateable`, an agent's answer, people may say what they think. `title` names the conversation anew.
    `suggestions` are messages that the person may send next, by a press.
    """

    turn_id: str
    conversation: Conversation
    reply_to: str
    text: str
    steps: tuple[Step, ...] = ()
    final: bool = False
    attachments: tuple[StoredFile, ...] = ()
    question: Question | None = None
    asks: int = 0
    rateable: bool = False
    title: str = ""
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    """Where a turn's reply goes; `handle` ("": none) is what an earlier process noted of its messages."""

    turn_id: str
    conversation: Conversation
    reply_to: str
    asker: User
    private: bool
    handle: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The platform's proof of a delivered reply.

    `doubtful`, which is counted: a person may see it twice, as an answer to a send was lost on a platform
    without idempotency keys. `late`: a message of it may still arrive, until the reply is written once more.
    """

    message_ids: tuple[str, ...]
    doubtful: bool = False
    late: bool = False


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How runs are made here: the assistant, and the run's configuration and context.

    `input` is what the graph's state is given instead of messages, with places for the person's words;
    `output` the key, or dotted path, of its answer. Empty: both are found. With `speakers` words that others
    hear too have a line above them that says whose they are.
    """

    assistant: str
    config: JsonObject = field(default_factory=dict)
    context: JsonObject = field(default_factory=dict)
    input: JsonObject = field(default_factory=dict)
    output: str = ""
    speakers: bool | None = None


def merge_sessions(broad: SessionSettings, *narrower: SessionSettings) -> SessionSettings:
    """Return how runs are made where several sections say it: a narrower one wins, key by key.

    The values of keys are never mixed, nor are the keys of two inputs, which are those of different graphs.
    """
    for own in narrower:
        broad = SessionSettings(
            assistant=own.assistant or broad.assistant,
            config={**broad.config, **own.config},
            context={**broad.context, **own.context},
            input=own.input or broad.input,
            output=own.output or broad.output,
            speakers=broad.speakers if own.speakers is None else own.speakers,
        )
    return broad


class RunMode(StrEnum):
    """Whether a run's text is shown as it grows, or at its end only."""

    STREAM = "stream"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class RunRef:
    """A run on the agent server."""

    thread: str
    run_id: str


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One turn, as the agent needs it.

    `turn_id` goes into the run's metadata and `message_id` (a UUID) names the human message, so that a run
    made before a crash is found again: `maybe_made` asks to look for it before making another, `known` is the
    run when its id was already noted. `answer` resumes an interrupted thread. `memory` is what to know about
    the person now, `reminded` that the thread has an older such message, which has to go. `retried` says that
    the thread may have this message and an answer to it, which the new one replaces. `language` is that in
    which the run's steps are named. `identity` is what the run is told of who speaks and where, `name` that
    of the person's message. `earlier` is what others said before, in a frame: a message of its own above this
    one, which stays on the thread. `tools` opens the memory tools to the run.
    """

    turn_id: str
    message_id: str
    thread: str
    text: str
    person: User
    session: SessionSettings
    mode: RunMode = RunMode.STREAM
    files: tuple[StoredFile, ...] = ()
    memory: str = ""
    reminded: bool = False
    maybe_made: bool = False
    known: RunRef | None = None
    answer: ResumeInput | None = None
    retried: bool = False
    language: str = "en"
    identity: RunIdentity | None = None
    name: str = ""
    earlier: str = ""
    tools: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run exists on the server; `unread` are the files that its agent was not given whole.

    `reminded` says whether its thread was given a message with memory, None where that is not known any more.
    """

    run: RunRef
    unread: tuple[UnreadFile, ...] = ()
    reminded: bool | None = None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The reply so far."""

    text: str
    steps: tuple[Step, ...]


class Outcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    EMPTY = "empty"
    ASKED = "asked"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The last event of every run. `error` is for the log only; people never see it, but hear of its `cause`.

    `usage` is what its models took, by model, as far as told. `unsent` are files that should come and do not.
    The first `preamble` characters of `text` came before the last tool call. `title` names the conversation,
    `suggestions` are what the person may ask next.
    """

    outcome: Outcome
    text: str = ""
    steps: tuple[Step, ...] = ()
    files: tuple[StoredFile, ...] = ()
    questions: tuple[Question, ...] = ()
    error: str = ""
    usage: tuple[TokenUsage, ...] = ()
    cause: FailureCause = FailureCause.UNKNOWN
    unsent: tuple[UnsentFile, ...] = ()
    preamble: int = 0
    title: str = ""
    suggestions: tuple[str, ...] = ()


RunEvent: TypeAlias = RunStarted | RunProgress | RunEnded


@dataclass(frozen=True, slots=True)
class CompletedTurn:
    """A finished turn, as memory sees it; `id` is the same when a crash makes it come twice.

    `person` is our own id of whoever spoke, `speaker` the account that they spoke from. `language` is a
    BCP 47 tag or empty, `at` when they spoke, in Unix seconds, `link` the address of their message or empty.
    """

    id: str
    person: str
    speaker: User
    conversation: Conversation
    thread: str
    assistant: str
    language: str
    user_text: str
    reply_text: str
    at: float
    private: bool
    link: str = ""
