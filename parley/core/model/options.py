"""The core's settings, already validated; durations are seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum
from fnmatch import fnmatchcase

from parley.core.model.questions import Question
from parley.core.model.types import RunMode, SessionSettings
from parley.core.model.usage import TokenPrice


class MentionPolicy(StrEnum):
    """When a message in a group is for us."""

    REQUIRED = "required"
    """Only when we are mentioned or replied to."""
    THREAD = "thread"
    """Also, without a mention, in a topic where we already talk."""
    NEVER = "never"
    """Every message is."""


class BusyPolicy(StrEnum):
    """What becomes of a message that comes while a run of its conversation is on."""

    QUEUE = "queue"
    """It waits, and is a turn of its own."""
    MERGE = "merge"
    """All that wait are the next turn."""
    INTERRUPT = "interrupt"
    """It stops the run, and is the next turn."""
    REJECT = "reject"
    """It is not run, and its sender is told so."""


class EditPolicy(StrEnum):
    """What becomes of the edit of a message."""

    IGNORE = "ignore"
    """Nothing."""
    RERUN = "rerun"
    """That of the last message has the turn run again; one that still waits is run as it reads then."""


class ContextScope(StrEnum):
    """Which earlier messages a mention in a group brings."""

    OFF = "off"
    """None."""
    THREAD = "thread"
    """Those of its conversation: of its topic, or of a group without topics."""
    CHAT = "chat"
    """Also, where it begins a topic, those that stand above it in the chat."""


class ContextPeople(StrEnum):
    """Whose earlier messages are brought."""

    ALLOWED = "allowed"
    """Those of people who may talk there."""
    EVERYONE = "everyone"


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """What a mention brings of what was said before: at most `tokens` of it, none older than `age` seconds.

    Messages of other bots come where `bots` says so.
    """

    scope: ContextScope = ContextScope.OFF
    tokens: int = 2000
    age: float = 86_400.0
    people: ContextPeople = ContextPeople.ALLOWED
    bots: bool = True


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What is different in one chat; None is as on the channel.

    `allowed_users` then says all there is to say about who may talk there.
    """

    mention: MentionPolicy | None = None
    allowed_users: frozenset[str] | None = None
    earlier: ContextOptions | None = None


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the core treats one channel.

    `allowed_users` holds platform user ids; "*" admits everyone, nothing admits nobody. `admins` holds those
    of its administrators, who may talk too. With `pairing` strangers may ask to be let in; administrators of
    an `operating` channel may let people in on every other one. `chats` is by the ids of chats.
    Messages of one person that come within `burst_window` of each other are one turn. `earlier` is what a
    mention brings of the messages above it.
    """

    session: SessionSettings
    user_sessions: Mapping[str, SessionSettings] = field(default_factory=dict)
    mode: RunMode = RunMode.STREAM
    allowed_users: frozenset[str] = frozenset()
    mention: MentionPolicy = MentionPolicy.REQUIRED
    burst_window: float = 0.8
    language: str = ""
    admins: frozenset[str] = frozenset()
    when_busy: BusyPolicy = BusyPolicy.QUEUE
    on_edit: EditPolicy = EditPolicy.IGNORE
    chats: Mapping[str, ChatOptions] = field(default_factory=dict)
    pairing: bool = False
    operating: bool = False
    earlier: ContextOptions = ContextOptions()


ASKER, ADMINS, ANYONE = "asker", "admins", "anyone"
"""Whom `deciders` may name beside accounts: who asked, the channel's admins, everyone who may talk there."""


@dataclass(frozen=True, slots=True)
class DecisionRules:
    """How a question is decided. Durations are seconds, 0 for never.

    `deciders` are accounts (`channel:id`) or the words above. `four_eyes` keeps who asked from deciding.
    `ask` is the key of another conversation where it is asked. After `expires_after` the option `expired`
    is taken, after `remind_after` the people are reminded once.
    """

    deciders: tuple[str, ...] = (ASKER,)
    four_eyes: bool = False
    ask: str = ""
    expires_after: float = 86_400.0
    expired: str = "reject"
    remind_after: float = 0.0


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Rules for all questions, and for approvals of single actions by the pattern of their names."""

    rules: DecisionRules = DecisionRules()
    actions: Mapping[str, DecisionRules] = field(default_factory=dict)

    def rules_for(self, question: Question) -> DecisionRules:
        """Return the rules of the first pattern that the action meets, else the general ones."""
        for pattern, rules in self.actions.items():
            if question.action and fnmatchcase(question.action, pattern):
                return rules
        return self.rules


class LimitScope(StrEnum):
    """Whose limit it is. A person's counts are those of all their accounts."""

    PERSON = "person"
    CHAT = "chat"
    CHANNEL = "channel"


class LimitMeasure(StrEnum):
    """What is limited, and in which window."""

    TURNS_A_MINUTE = "turns_per_minute"
    TURNS = "turns_per_day"
    TOKENS = "tokens_per_day"
    COST = "cost_per_day"


@dataclass(frozen=True, slots=True)
class LimitCaps:
    """The most of each measure, 0 for no limit. Cost is in millionths of the currency."""

    turns_per_minute: int = 0
    turns_per_day: int = 0
    tokens_per_day: int = 0
    cost_per_day: int = 0

    def limits(self) -> tuple[tuple[LimitMeasure, int], ...]:
        """Return those that are set."""
        every = (self.turns_per_minute, self.turns_per_day, self.tokens_per_day, self.cost_per_day)
        return tuple((measure, most) for measure, most in zip(LimitMeasure, every, strict=True) if most)


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Limits by scope. People are told once when they have used `warn_at` (a share, 0 for never) of one.

    A day begins at midnight in `zone`. `prices` are by the patterns of models' names.
    """

    person: LimitCaps = LimitCaps()
    chat: LimitCaps = LimitCaps()
    channel: LimitCaps = LimitCaps()
    warn_at: float = 0.8
    zone: tzinfo = UTC
    currency: str = "USD"
    prices: Mapping[str, TokenPrice] = field(default_factory=dict)

    @property
    def limited(self) -> bool:
        """Return whether there is any limit."""
        return any(map(LimitCaps.limits, (self.person, self.chat, self.channel)))

    def caps(self, scope: LimitScope) -> LimitCaps:
        """Return the limits of a scope."""
        return {LimitScope.PERSON: self.person, LimitScope.CHAT: self.chat, LimitScope.CHANNEL: self.channel}[
            scope
        ]


@dataclass(frozen=True, slots=True)
class CoreOptions:
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
