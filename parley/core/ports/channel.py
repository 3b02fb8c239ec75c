"""The port of a chat platform: the channel, its replies, and what a channel may use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from parley.core.model.address import Conversation, User
from parley.core.model.attachments import Attachment
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.errors import ChannelUnavailable, DeliveryRejected
from parley.core.model.feedback import CommentWay
from parley.core.model.options import ChannelOptions
from parley.core.model.questions import Click
from parley.core.model.types import (
    InboundMessage,
    OutboundMessage,
    Receipt,
    ReplyTarget,
)
from parley.core.ports.journal import DocumentRepository
from parley.core.ports.memory.changes import NO_MEMORY_CHANGES, MemoryChanges
from parley.core.ports.no_core import (
    clear_nothing,
    never_rerun,
    no_rules,
    recall_nothing,
    tell_nothing,
    withdraw_nothing,
)
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.core.ports.speech import NO_SPEECH, SpeechDecoder
from parley.core.texts import Sentence


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a platform can do, as data. Intervals are seconds between two snapshots of one reply.

    `buttons` shows a question's options under it, `edits` lets people change an action's arguments there.
    `history` lets bots read what was said before; elsewhere the core keeps for a while what it hears.
    `comments` says how people are asked what was wrong with an answer. `timed` says that the platform's own
    clock tells when each message was written, so that they can be put in order by it.
    """

    max_chars: int
    edit_interval: float
    group_edit_interval: float
    buttons: bool
    edits: bool = False
    history: bool = False
    comments: CommentWay = CommentWay.COMMAND
    timed: bool = False

    def interval(self, *, private: bool) -> float:
        """Return the seconds between two snapshots in a private chat, or in one of others."""
        return self.edit_interval if private else self.group_edit_interval


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command as a platform's own menu shows it, in one language ("" is the default)."""

    name: str
    summary: str
    language: str = ""


class Inbox(Protocol):
    """Where a channel hands over what it hears."""

    async def accept(self, message: InboundMessage) -> None:
        """Return once the message is durable (or known, or not for us); only then acknowledge it.

        Raises StoreUnavailable: do not acknowledge; the platform will hold or redeliver it.
        """
        ...

    async def decide(self, click: Click) -> str:
        """Return what to tell who pressed a button, once the press is durable; only then acknowledge it.

        Raises StoreUnavailable.
        """
        ...

    def online(self) -> None:
        """Say that the connection is up."""
        ...


@dataclass(frozen=True, slots=True)
class PersonOverview:
    """What there is to know about a person's own affairs, for their eyes only, in their `language`.

    `summaries` and `facts` are remembered of them (`more` facts are left out); `learning` says whether more
    will be. `questions` are open in their private chat with the bot. `reachable` says whether the agent can
    be asked now.
    """

    language: str
    learning: bool = False
    summaries: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    more: int = 0
    questions: tuple[str, ...] = ()
    reachable: bool = True


@runtime_checkable
class OverviewInbox(Protocol):
    """An inbox that can tell people about their own affairs."""

    async def overview(self, user: User, chat: Conversation) -> PersonOverview | None:
        """Return somebody's overview, where `chat` is their private one; None for who may not talk.

        Raises StoreUnavailable, MemoryFailed.
        """
        ...


Checkpoint = Callable[[str], Awaitable[None]]
"""Makes a reply's handle durable; returns when it is on disk."""


class Reply(ABC):
    """One reply on its way to a platform. Calls never overlap; a failed call may be made again."""

    @abstractmethod
    async def show(self, snapshot: OutboundMessage) -> None:
        """Show the reply so far. Raises ChannelError."""

    @abstractmethod
    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver the whole final reply, going on from whatever already arrived. Raises ChannelError.

        A channel that has buttons puts those of `snapshot.question` under it.
        """

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Write a delivered final once more, over what came late, and send nothing. Raises ChannelError."""
        await self.finish(snapshot)

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Rewrite a delivered question, found by its handle, without its buttons. Raises ChannelError.

        Asked only of channels that have buttons.
        """
        raise DeliveryRejected(f"{type(self).__name__} does not change what was sent.")


@runtime_checkable
class WaitingSign(Protocol):
    """A reply that can show, without a handle, that its message waits to be worked."""

    async def show_waiting(self, *, waits: bool) -> None:
        """Show it, or take that away where it may still be there. Raises ChannelError."""
        ...


CURRENT_CHANNEL: ContextVar[str] = ContextVar("channel", default="")
"""For which channel the running task works, for the log; "" where it is for none."""


class Channel(ABC):
    """A platform adapter. `name` is what the settings call it, `platform` its `type:` there, "" for none.

    The core knows its places and people by that name. A call to it ends after `longest_call` seconds.
    """

    name: str
    platform: str = ""
    capabilities: Capabilities
    longest_call: float = 30.0

    @abstractmethod
    async def listen(self, inbox: Inbox) -> None:
        """Receive for the life of one connection: call `inbox.online()` when it stands.

        Returns or raises ChannelError when the connection ends; the supervisor calls again.
        Cancelling stops it cleanly.
        """

    @abstractmethod
    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        """Return a reply to `target`. Nothing is sent before its first `show` or `finish`."""

    @abstractmethod
    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        """Stream an attachment's bytes to a file and return their number.

        Raises AttachmentRefused when there are more than `limit` bytes, ChannelError otherwise.
        """

    async def earlier_messages(self, request: HistoryRequest) -> Sequence[EarlierMessage]:
        """Return what was said above a message, oldest first, also by bots and by people who may not talk:
        the core leaves out whom the operator does not want, and cleans and cuts the rest.

        Asked only of channels that have history, under a deadline, and not again. Raises ChannelError; where
        a scope is missing its text names the scope.
        """
        raise ChannelUnavailable(f"{type(self).__name__} does not read what was said before.")


@runtime_checkable
class ExclusiveConnection(Protocol):
    """A channel that says whether its platform gives all events to one connection, and drops an older one.

    Where it does, one node listens; where not, every node.
    """

    held_by_one: bool


@runtime_checkable
class StatusNotes(Protocol):
    """A channel that can tell people what is special about a place."""

    async def remarks(self, conversation: Conversation) -> Sequence[Sentence]:
        """Return what /whoami adds here: sentences without anything to fill in. Raises ChannelError."""
        ...


@runtime_checkable
class ConnectionTrouble(Protocol):
    """A channel that may be connected and answer nobody all the same."""

    @property
    def trouble(self) -> str:
        """Return what is known to be wrong at the platform and, after a semicolon, the remedy; else ""."""
        ...


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """Who we are on a platform, "" where it does not tell; and what we are not allowed there that we need.

    Each of `lacking` is the key of the channel's section that it comes from, and what is to be done.
    """

    who: str = ""
    lacking: tuple[tuple[str, str], ...] = ()


@runtime_checkable
class Preflight(Protocol):
    """A channel that can find out whether its platform lets it in, without listening."""

    async def preflight(self) -> PreflightResult:
        """Log in and leave again.

        Raises AuthenticationRefused, ChannelError.
        """
        ...


@runtime_checkable
class ConnectionProbe(Protocol):
    """A channel that can prove that its connection would stand, without hearing or changing anything."""

    async def probe_connection(self) -> str:
        """Open the connection that `listen` would, close it again, and return in words what stood.

        Nothing is acknowledged, and no other program is cut off. Raises AuthenticationRefused, ChannelError.
        """
        ...


@dataclass(frozen=True, slots=True)
class ChannelServices:
    """What a channel may use: durable documents, a folder of its own, the commands people may call, and word
    to the same channel on other nodes (whose folders are not this one). Where `reruns` says so an edit of
    somebody's last message is answered anew. `clear` lets the words of a deleted conversation go, durably,
    wherever Parley has them besides the channel. `withdraw` takes a message back that still waits to be
    answered, and tells whether it came in time; `recall` does so with one that was taken back on the
    platform, and stops the run that answers it. `outcome` tells how a message reads after a press that the
    inbox took, where a message may have so many characters; "" where nothing is decided. `name` is what the
    settings call the channel, and `rules` tells what they say about a conversation. `decoder` makes samples
    of voice messages where a platform is asked for words. `memory_changes` tells whose memory changed.

    `channels/<name>/config.py` has a `Config` (a ChannelConfig of the kit) and
    `channels/<name>/channel.py` a `create(config, services) -> Channel`.
    """

    documents: DocumentRepository
    folder: Path
    commands: tuple[CommandInfo, ...]
    news: Notifier = NULL_NOTIFIER
    reruns: Callable[[], bool] = never_rerun
    clear: Callable[[Conversation], Awaitable[None]] = clear_nothing
    withdraw: Callable[[Conversation, str, User], Awaitable[bool]] = withdraw_nothing
    recall: Callable[[Conversation, str], Awaitable[None]] = recall_nothing
    outcome: Callable[[Click, int], Awaitable[str]] = tell_nothing
    name: str = ""
    rules: Callable[[Conversation], ChannelOptions] = no_rules
    decoder: SpeechDecoder = NO_SPEECH
    memory_changes: MemoryChanges = NO_MEMORY_CHANGES
