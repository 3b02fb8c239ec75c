"""What every channel's section of the configuration has in common."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    field_validator,
    model_validator,
)

Mention = Literal["required", "thread", "never"]
Mode = Literal["stream", "wait"]
WhenBusy = Literal["queue", "merge", "interrupt", "reject"]
ContextScopeName = Literal["off", "thread", "chat"]
# An unquoted `off` is false in YAML.
ContextMessages = Annotated[
    ContextScopeName, BeforeValidator(lambda given: "off" if given is False else given)
]
ContextFrom = Literal["allowed", "everyone"]
# Unquoted, both are truth values in YAML.
ReceiptSwitch = Annotated[
    Literal["on", "off"],
    BeforeValidator(lambda given: ("on" if given else "off") if isinstance(given, bool) else given),
]
"""A thing that channels do or do not: receipts, and thumbs under answers."""


class Section(BaseModel):
    """A part of the configuration: frozen, and a key it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class SessionConfig(Section):
    """Overrides of how runs are made; a narrower section wins, key by key."""

    assistant_id: str | None = None
    config: dict[str, JsonValue] = Field(default_factory=dict)
    context: dict[str, JsonValue] = Field(default_factory=dict)
    input: dict[str, JsonValue] = Field(default_factory=dict)
    output: str = ""
    speakers: bool | None = None


class ChannelSession(SessionConfig):
    """A channel's overrides, and those of single users by platform user id."""

    users: dict[str, SessionConfig] = Field(default_factory=dict)


def _as_texts(value: object) -> object:
    # Ids are numbers on some platforms, and a single one is often written without a list.
    if isinstance(value, str | int) and not isinstance(value, bool):
        value = [value]
    if isinstance(value, list | tuple):
        return tuple(str(entry) if isinstance(entry, int) else entry for entry in value)
    return value


Ids = Annotated[tuple[str, ...], BeforeValidator(_as_texts)]


class TriggerConfig(Section):
    """A message whose text has the pattern `text` (of RE2) in it, from one of `authors`, needs no mention."""

    text: str = ""
    authors: Ids = ()

    @model_validator(mode="after")
    def _says_something(self) -> TriggerConfig:
        if not self.text and not self.authors:
            raise ValueError('needs text (a pattern), authors (ids), or both, such as {text: "(?i)sev1"}')
        return self


class ChatConfig(Section):
    """What is different in the chats that a pattern is about (docs/routing.md).

    With a list of its own only those named there may talk in them. `assistants` and `models` are patterns of
    what people may choose there.
    """

    mention: Mention | None = None
    allowed_users: Ids | None = None
    mode: Mode | None = None
    when_busy: WhenBusy | None = None
    session: ChannelSession = ChannelSession()
    assistants: Ids | None = None
    models: Ids | None = None
    bots: Ids | None = None
    triggers: tuple[TriggerConfig, ...] | None = None
    feedback: ReceiptSwitch | None = None
    context_messages: ContextMessages | None = None
    context_tokens: int | None = Field(default=None, ge=100, le=100_000)
    context_age: float | None = Field(default=None, ge=60, le=31_536_000)
    context_from: ContextFrom | None = None
    context_bots: bool | None = None


@dataclass(frozen=True, slots=True)
class UserIdFormat:
    """How a platform's user ids look: a pattern for the whole of one, and what to write, in words."""

    pattern: re.Pattern[str]
    words: str

    def fits(self, user: str) -> bool:
        """Tell whether this may be somebody's id."""
        return self.pattern.fullmatch(user) is not None


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A key of a section that cannot do what it is there for: it is `wrong`, or without an effect."""

    key: str
    text: str
    wrong: bool = False


class ChannelConfig(Section):
    """Base of every channel's `Config`.

    `enabled: null` means on when the credentials are there. `allowed_users` holds platform user ids as
    text ("*" for everyone); an empty list means nobody. `admins` are the ids of those who may talk, decide
    for others and let people in; with `pairing` strangers may ask for that. `chats` is by patterns of chats;
    `unrouted` says what becomes of groups that none of them is about. `bots` are the ids of bots
    and apps that are heard, `triggers` say which messages need no mention. With
    `feedback` people may say what they think of answers.
    `several` says that there may be several such channels, by a `type:` in sections of other names.
    `spares` are packages that the platform's SDK would load where they are, and that nothing here needs.
    `read_at_start` are keys of this class that the adapter itself reads when it is made: an edit of them
    connects it again, as one of the platform's own keys does. Where `reconnects` is false these wait for a
    restart.
    `user_ids` is how ids look where they have a form. The keys that begin with `context_` say what a mention
    in a group brings of the messages above it.
    """

    several: ClassVar[bool] = True
    spares: ClassVar[tuple[str, ...]] = ()
    read_at_start: ClassVar[frozenset[str]] = frozenset()
    reconnects: ClassVar[bool] = True
    user_ids: ClassVar[UserIdFormat | None] = None
    enabled: bool | None = None
    allowed_users: tuple[str, ...] = ()
    admins: tuple[str, ...] = ()
    mode: Mode = "stream"
    when_busy: WhenBusy = "queue"
    on_edit: Literal["ignore", "rerun"] = "ignore"
    mention: Mention = "required"
    context_messages: ContextMessages = "thread"
    context_tokens: int = Field(default=2000, ge=100, le=100_000)
    context_age: float = Field(default=86_400, ge=60, le=31_536_000)
    context_from: ContextFrom = "allowed"
    context_bots: bool = True
    burst_window: float = Field(default=0.8, ge=0, le=10)
    language: Literal["auto", "en", "zh"] = "auto"
    session: ChannelSession = ChannelSession()
    pairing: bool = False
    chats: dict[str, ChatConfig] = Field(default_factory=dict)
    unrouted: Literal["answer", "refuse", "ignore"] = "answer"
    bots: Ids = ()
    bot_turns_per_minute: int = Field(default=6, ge=1, le=60)
    bot_turns_in_a_row: int = Field(default=3, ge=1, le=100)
    triggers: tuple[TriggerConfig, ...] = ()
    feedback: ReceiptSwitch = "off"
    assistants: Ids | None = None
    models: Ids | None = None

    @field_validator("allowed_users", "admins", mode="before")
    @classmethod
    def _ids(cls, value: object) -> object:
        return () if value is None else _as_texts(value)

    @property
    def open_to_everyone(self) -> bool:
        """Whether "everyone" stands in any list, the channel's or that of a chat."""
        own = [chat.allowed_users or () for chat in self.chats.values()]
        return any("*" in users for users in (self.allowed_users, *own))

    @property
    def context_scopes(self) -> frozenset[ContextScopeName]:
        """Which earlier messages are read anywhere on this channel: for the rights that reading takes."""
        own = (chat.context_messages for chat in self.chats.values())
        return frozenset({self.context_messages, *(each for each in own if each is not None)} - {"off"})

    @property
    def all_triggers(self) -> Mapping[tuple[str | int, ...], TriggerConfig]:
        """Every rule by which a message is for us, by its place in the section."""
        own: dict[tuple[str | int, ...], TriggerConfig] = {
            ("triggers", number): each for number, each in enumerate(self.triggers)
        }
        for chat, config in self.chats.items():
            for number, each in enumerate(config.triggers or ()):
                own["chats", chat, "triggers", number] = each
        return own

    def credentials(self) -> tuple[str, ...]:
        """Return the keys without which this channel cannot start; for example `bot_token`."""
        return ()

    def own_keys(self) -> tuple[str, ...]:
        """Return the credentials that no two apps of the platform have in common."""
        return self.credentials()[:1]

    @classmethod
    def at_server(cls, server: str) -> Mapping[str, str]:
        """Return the keys that make another server take the platform's place, such as a simulator."""
        return {"api_url": server}

    def missing(self) -> str:
        """Return the first credential that is not there, or ""."""
        return next((name for name in self.credentials() if not getattr(self, name)), "")

    def addresses(self) -> tuple[str, ...]:
        """Return the addresses of the platform that this channel calls; none where it calls nobody."""
        return ()

    def problems(self) -> Sequence[SettingProblem]:
        """Return what can be seen to be wrong, or without an effect, before the platform is asked."""
        return ()
