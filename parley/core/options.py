"""The core's settings, already validated; durations are seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from parley.core.deciding import QuestionOptions
from parley.core.limits import LimitOptions
from parley.core.types import Mode, Session


class Mention(StrEnum):
    """When a message in a group is for us."""

    REQUIRED = "required"
    """Only when we are mentioned or replied to."""
    THREAD = "thread"
    """Also, without a mention, in a topic where we already talk."""
    NEVER = "never"
    """Every message is."""


class WhenBusy(StrEnum):
    """What becomes of a message that comes while a run of its conversation is on."""

    QUEUE = "queue"
    """It waits, and is a turn of its own."""
    MERGE = "merge"
    """All that wait are the next turn."""
    INTERRUPT = "interrupt"
    """It stops the run, and is the next turn."""
    REJECT = "reject"
    """It is not run, and its sender is told so."""


class OnEdit(StrEnum):
    """What becomes of the edit of a message."""

    IGNORE = "ignore"
    """Nothing."""
    RERUN = "rerun"
    """That of the last message has the turn run again; one that still waits is run as it reads then."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What is different in one chat; None is as on the channel.

    `allowed_users` then says all there is to say about who may talk there.
    """

    mention: Mention | None = None
    allowed_users: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the core treats one channel.

    `allowed_users` holds platform user ids; "*" admits everyone, nothing admits nobody. `admins` holds those
    of its administrators, who may talk too. With `pairing` strangers may ask to be let in; administrators of
    an `operating` channel may let people in on every other one. `chats` is by the ids of chats.
    Messages of one person that come within `burst_window` of each other are one turn.
    """

    session: Session
    user_sessions: Mapping[str, Session] = field(default_factory=dict)
    mode: Mode = Mode.STREAM
    allowed_users: frozenset[str] = frozenset()
    mention: Mention = Mention.REQUIRED
    burst_window: float = 0.8
    language: str = ""
    admins: frozenset[str] = frozenset()
    when_busy: WhenBusy = WhenBusy.QUEUE
    on_edit: OnEdit = OnEdit.IGNORE
    chats: Mapping[str, ChatOptions] = field(default_factory=dict)
    pairing: bool = False
    operating: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How the core works.

    `max_turns` bounds runs in flight on this node; `queue_limit` the waiting messages of one conversation,
    beyond which the oldest are merged into one turn. After `notify_after` without an answer from the agent
    server the person is told once; after `give_up_after` the turn ends as failed, and after `stop_patience`
    one that was stopped ends without its run. A run longer than
    `still_working_after` says so, one longer than `timeout` is ended; 0 for never. `max_file` is in bytes.
    What waited for the process to start begins at `backlog_rate` turns a second, and what is older than
    `max_message_age` is not run unless it is asked for again; 0 for no limit.
    """

    channels: Mapping[str, ChannelOptions]
    max_turns: int = 2000
    queue_limit: int = 100
    shutdown_grace: float = 20.0
    backlog_rate: float = 50.0
    max_message_age: float = 3600.0
    notify_after: float = 10.0
    give_up_after: float = 900.0
    stop_patience: float = 10.0
    still_working_after: float = 60.0
    timeout: float = 0.0
    max_file: int = 20_000_000
    models: tuple[str, ...] = ()
    questions: QuestionOptions = field(default_factory=QuestionOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
