"""The core's settings, already validated; durations are seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from parley.core.model.address import ChatPattern, Conversation
from parley.core.model.bots import BotLimits, TriggerRule
from parley.core.model.limits import LimitOptions
from parley.core.model.questions import Question
from parley.core.model.types import RunMode, SessionSettings, merge_sessions


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


class UnroutedPolicy(StrEnum):
    """What becomes of a message for us in a group that no entry of `chats` is about."""

    ANSWER = "answer"
    """It is answered as the channel says."""
    REFUSE = "refuse"
    """Its sender is told that no agent is set up there."""
    IGNORE = "ignore"
    """Nothing."""


_NO_SESSION = SessionSettings("")


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What is different in some chats; None, and what is empty in a session, is as on the channel.

    `allowed_users` then says all there is to say about who may talk there. `earlier` has the keys of
    ContextOptions that are different.
    """

    mention: MentionPolicy | None = None
    allowed_users: frozenset[str] | None = None
    mode: RunMode | None = None
    when_busy: BusyPolicy | None = None
    session: SessionSettings = _NO_SESSION
    user_sessions: Mapping[str, SessionSettings] = field(default_factory=dict)
    assistants: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    earlier: Mapping[str, Any] = field(default_factory=dict)
    bots: frozenset[str] | None = None
    triggers: tuple[TriggerRule, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChannelOptions:
    """How the core treats one channel; `at` tells what of it holds in one conversation.

    `allowed_users` holds platform user ids; "*" admits everyone, nothing admits nobody. `admins` holds those
    of its administrators, who may talk too. With `pairing` strangers may ask to be let in; administrators of
    an `operating` channel may let people in on every other one. `chats` is by the patterns of chats.
    Messages of one person that come within `burst_window` of each other are one turn. `assistants` and
    `models` are patterns of what people may choose there, None for all that there are. `earlier` is what a
    mention brings of the messages above it. `bots` are those that are heard; `triggers` say what is for us
    without a mention.

    Of one conversation: `listed` are those who may talk there and nobody else, where a chat has a list of its
    own, and `routed` says that some pattern is about it.
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
    unrouted: UnroutedPolicy = UnroutedPolicy.ANSWER
    assistants: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    bots: frozenset[str] = frozenset()
    bot_limits: BotLimits = BotLimits()  # noqa: RUF009 - frozen
    triggers: tuple[TriggerRule, ...] = ()
    listed: frozenset[str] | None = None
    routed: bool = False
    _places: dict[tuple[str, str | None], ChannelOptions] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def at(self, place: Conversation) -> ChannelOptions:
        """Return what holds in a conversation: the most specific pattern that has a key gives it.

        Worked out once for each, so that every message may ask.
        """
        if not self.chats:
            return self
        key = (place.chat, place.topic)
        found = self._places.get(key)
        if found is None:
            if len(self._places) >= _MOST_PLACES:
                self._places.clear()
            found = self._places[key] = _narrowed(self, place)
        return found

    def session_of(self, user: str) -> SessionSettings:
        """Return how runs are made for somebody, by their platform user id."""
        return self.user_sessions.get(user, self.session)

    def offers_assistant(self, *names: str) -> bool:
        """Return whether people may choose an assistant that goes by these names."""
        return _offers(self.assistants, names)

    def offers_model(self, name: str) -> bool:
        """Return whether people may choose a model."""
        return _offers(self.models, (name,))


_MOST_PLACES = 10_000
"""Conversations of which it is remembered what holds there; they are forgotten all at once."""


def _narrowed(options: ChannelOptions, place: Conversation) -> ChannelOptions:
    patterns = [(ChatPattern(text), own) for text, own in options.chats.items()]
    fitting = [(pattern.specificity(place), own) for pattern, own in patterns if pattern.fits(place)]
    # Of two that are as specific the lower one in the file wins: sorting keeps their order.
    for _, own in sorted(fitting, key=lambda each: each[0]):
        options = _with_chat(options, own)
    return replace(options, chats={}, routed=bool(fitting))


def _with_chat(options: ChannelOptions, own: ChatOptions) -> ChannelOptions:
    people = {*options.user_sessions, *own.user_sessions}
    return replace(
        options,
        mention=own.mention or options.mention,
        mode=own.mode or options.mode,
        when_busy=own.when_busy or options.when_busy,
        listed=options.listed if own.allowed_users is None else own.allowed_users,
        assistants=options.assistants if own.assistants is None else own.assistants,
        models=options.models if own.models is None else own.models,
        earlier=replace(options.earlier, **own.earlier),
        bots=options.bots if own.bots is None else own.bots,
        triggers=options.triggers if own.triggers is None else own.triggers,
        session=merge_sessions(options.session, own.session),
        user_sessions={
            user: merge_sessions(
                options.session_of(user), own.session, own.user_sessions.get(user, _NO_SESSION)
            )
            for user in people
        },
    )


def _offers(patterns: tuple[str, ...] | None, names: Iterable[str]) -> bool:
    if patterns is None:
        return True
    return any(fnmatchcase(name.casefold(), each.casefold()) for each in patterns for name in names)


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


@dataclass(frozen=True, slots=True)
class CoreOptions:
    """How the core works.

    `max_turns` bounds runs in flight on this node; `queue_limit` the waiting messages of one conversation,
    beyond which the oldest are merged into one turn. After `notify_after` without an answer from the agent
    server the person is told once; after `give_up_after` the turn ends as failed, and after `stop_patience`
    one that was stopped ends without its run. Reading what was said before a message may take
    `context_patience`. A run longer than
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
    context_patience: float = 5.0
    still_working_after: float = 60.0
    timeout: float = 0.0
    max_file: int = 20_000_000
    models: tuple[str, ...] = ()
    questions: QuestionOptions = field(default_factory=QuestionOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
