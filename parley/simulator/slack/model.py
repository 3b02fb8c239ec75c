"""What the simulated Slack keeps. Mutable, and touched only under the world's lock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.upload import Upload

ChatKind: TypeAlias = Literal["im", "mpim", "channel", "group"]


@dataclass
class SlackAccount:
    """A person, or a bot. `team` is where they are at home; a guest is `restricted` to some channels, or to
    one (`ultra_restricted`), a stranger comes from another workspace."""

    id: str
    name: str
    handle: str
    team: str
    is_bot: bool = False
    bot_id: str = ""
    restricted: bool = False
    ultra_restricted: bool = False
    stranger: bool = False
    locale: str = "en-US"


@dataclass
class SlackChat:
    """A DM, a group DM, a channel, or a private channel ("group")."""

    id: str
    kind: ChatKind
    title: str = ""
    members: set[str] = field(default_factory=set)
    closed: str = ""
    """The error that the bot gets here, "" while it may write."""
    statuses: list[tuple[float, str, str]] = field(default_factory=list)
    """Time (monotonic), thread and text of every status line that the bot set."""
    sessions: dict[str, str] = field(default_factory=dict)
    """The status of the agent's session in a thread."""
    titles: dict[str, str] = field(default_factory=dict)
    """What a thread is called."""
    prompts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The labels of suggested prompts by thread, "" for those above an agent's chats."""


@dataclass
class File:
    """A file on the platform. `shown` says that it is in a chat; until then it is only uploaded.

    `heard` makes it a voice clip, of which Slack has understood these words; "" for none so far.
    """

    id: str
    name: str
    mime: str
    content: bytes
    owner: str
    title: str = ""
    declared: int | None = None
    heard: str | None = None
    uploaded: bool = False
    shown: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class SlackMessage:
    """A message as it is now. `markdown` is standard markdown; `text` is what else was sent."""

    ts: str
    chat: str
    sender: str
    at: float
    text: str = ""
    marked: bool = True
    markdown: str = ""
    tables: bool = True
    """Whether tables in `markdown` are drawn."""
    blocks: list[Json] = field(default_factory=list)
    thread: str = ""
    metadata: JsonObject = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    tasks: dict[str, JsonObject] = field(default_factory=dict)
    streaming: bool = False
    stream_ends: float = 0.0
    edited: bool = False
    subtype: str = ""
    reactions: list[str] = field(default_factory=list)
    """Names of the app's reactions to it."""
    extra: JsonObject = field(default_factory=dict)
    """Fields beside these that its sender gave it: attachments, the name of a webhook."""


@dataclass(frozen=True)
class SeenSlackMessage:
    """A message as somebody in the chat sees it now.

    `text` has the marks rendered away and `code` is what of it is set as code; `buttons` are labels,
    `tasks` the cards with their states, `cards` all that they say, and `streaming` says that Slack shows it
    as still being written.
    """

    ts: str
    sender: str
    from_bot: bool
    text: str
    code: tuple[str, ...]
    thread: str
    files: tuple[str, ...]
    tasks: tuple[tuple[str, str], ...]
    buttons: tuple[str, ...]
    streaming: bool
    edited: bool
    metadata: JsonObject
    reactions: tuple[str, ...] = ()
    cards: tuple[JsonObject, ...] = ()


@dataclass(frozen=True)
class EphemeralMessage:
    """A message that only one person sees, in a chat and thread ("" for none)."""

    chat: str
    thread: str
    user: str
    text: str


@dataclass
class Modal:
    """A form that is open before somebody, its values by their block's id. `errors` stand under its fields;
    under "" is what Slack says where the app did not answer in time."""

    id: str
    user: str
    view: JsonObject
    values: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    closed: bool = False


@dataclass(frozen=True)
class SeenModal:
    """A form as who it is open before sees it: fields by their labels."""

    title: str
    submit: str
    fields: dict[str, str]
    errors: tuple[str, ...]


@dataclass
class ResponseUrl:
    """An address for answers: five at most, within half an hour (docs.slack.dev/interactivity/
    handling-user-interaction#message_responses)."""

    chat: str
    user: str
    made: float
    used: int = 0


@dataclass(frozen=True)
class SlackUpload(Upload):
    """A file that somebody sends; `declared` is its size as Slack will tell it, where that is a lie.

    `heard` makes it a voice clip, as in `File`.
    """

    declared: int | None = None
    heard: str | None = None


@dataclass(frozen=True)
class SlackSimulatorTiming:
    """Seconds. `ack` is how long a payload may stay unacknowledged and `retries` the pauses before it is
    sent again, as Slack makes them; `scaled` makes all of them shorter or longer. `stream` is a stream's
    longest life, `ticket` that of a connection's address, `share` how long after
    files.completeUploadExternal a file is shown, and `status` the life of a status line.
    """

    ack: float = 3.0
    retries: tuple[float, ...] = (0.0, 60.0, 300.0)
    stream: float = 300.0
    ticket: float = 30.0
    share: float = 0.0
    status: float = 120.0

    def scaled(self, factor: float) -> SlackSimulatorTiming:
        """Return the same times, each by so much longer."""
        retries = tuple(pause * factor for pause in self.retries)
        lives = (each * factor for each in (self.stream, self.ticket, self.share, self.status))
        return SlackSimulatorTiming(self.ack * factor, retries, *lives)
