"""Every error that crosses a package border.

ParleyError(user_text)
├── ConfigError            start-up; one line that names the place and the remedy; exit code 2
├── ChannelError           a platform
│   ├── AuthenticationRefused   stop this channel and show it; the others go on
│   ├── RateLimited             wait exactly `retry_after` seconds
│   ├── ChannelUnavailable      back off with jitter
│   ├── DeliveryRejected        once more as plain text, then dead-letter
│   └── AttachmentRefused       this file only; the turn goes on without it
├── AgentError             the agent server
│   ├── AgentBusy               somebody else runs on the thread: wait and try again
│   ├── AgentTimeout            silence for too long
│   ├── AgentUnavailable        not reachable, or overloaded: try again
│   ├── AgentRefused            it will never take this request: wrong key, unknown assistant
│   └── AgentUnreadable         what it sent is more than is ever taken: asking again brings the same
├── MemoryFailed           logged, never shown
├── SpeechFailed           a voice message, or one of ours, is gone without
│   └── SpeechTooLong           it is longer than is allowed
├── PersonBusy             a person's turns are under way: they cannot be erased just now
└── StoreError             durable state
    ├── StoreUnavailable        stop acknowledging until it is back
    │   ├── StoreInUse              another process has the data: ask that one
    │   ├── StoreMoved              its files were taken away under us: somebody has to put them back
    │   └── StoreUnreachable        its server is starting, stopping or out of reach: wait for it
    ├── LaneLost                another node holds the lane now: change nothing, send nothing
    └── DocumentConflict        the document changed since it was read

A foreign error becomes one of these exactly once, at the wire, with `raise ... from`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from parley.core.texts import Sentence, say


class FailureCause(StrEnum):
    """Why a run failed, where a person can be told: out of steps, a provider's rate limit, a conversation
    beyond the model's length, a refused key or account, an agent that a part of it holds up.
    """

    UNKNOWN = ""
    STEPS = "steps"
    RATE = "rate"
    LENGTH = "length"
    KEY = "key"
    BLOCKED = "blocked"


class ParleyError(Exception):
    """Root of the tree. `user_text` is fit to be shown to a person; details go to the log."""

    def __init__(self, user_text: str) -> None:
        super().__init__(user_text)
        self.user_text = user_text


class ConfigError(ParleyError):
    """The configuration cannot be used; the text names the path and what to write instead."""


class ChannelError(ParleyError):
    """A chat platform did not do what was asked."""


class AuthenticationRefused(ChannelError):
    """The platform refused our credentials; trying again cannot help.

    `keys` are those of the channel's section of the configuration that are to be corrected, if any are.
    """

    def __init__(self, user_text: str, *keys: str) -> None:
        super().__init__(user_text)
        self.keys = keys

    def places(self, channel: str) -> tuple[str, ...]:
        """Return where in the configuration the keys of this channel are."""
        return tuple(f"channels.{channel}.{key}" for key in self.keys)


class RateLimited(ChannelError):
    """The platform asks for `retry_after` seconds of silence."""

    def __init__(self, user_text: str, retry_after: float) -> None:
        super().__init__(user_text)
        self.retry_after = retry_after


class ChannelUnavailable(ChannelError):
    """The platform cannot be reached, or answered 5xx."""


class DeliveryRejected(ChannelError):
    """The platform will never accept this message as it is."""


class AttachmentRefused(ChannelError):
    """A file is too large, of no known kind, or gone.

    `sentence` with `values` in its places says it in a person's language; `user_text` is for the agent and
    the log.
    """

    def __init__(self, user_text: str, sentence: Sentence, **values: str) -> None:
        super().__init__(user_text)
        self._sentence = sentence
        self._values = values

    def explain(self, language: str) -> str:
        """Return why, for a person."""
        return say(language, self._sentence, **self._values)


class AgentError(ParleyError):
    """The agent server did not do what was asked; `detail` is what it said itself, for the log only."""

    def __init__(self, user_text: str, detail: str = "") -> None:
        super().__init__(user_text)
        self.detail = detail

    @property
    def reason(self) -> str:
        """Return all that is known, for the log."""
        return f"{self.user_text} ({self.detail})" if self.detail else self.user_text


class AgentBusy(AgentError):
    """A run that is not ours holds the thread (HTTP 409)."""


class AgentTimeout(AgentError):
    """Nothing was heard from the agent server within its time."""


class AgentUnavailable(AgentError):
    """The agent server is away, or answered 429 or 5xx."""


class AgentRefused(AgentError):
    """The agent server will not take this request, now or later (401, 403, 422)."""


class AgentUnreadable(AgentError):
    """What the agent server sent is too large, or nested too deeply, to be read."""


class MemoryFailed(ParleyError):
    """Memory could not be read or written; a chat goes on without it."""


class MemoryDamaged(MemoryFailed):
    """A memory cannot be read: nothing is changed until it is repaired or cleared. `name` is where it is."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The memory cannot be read. It is kept as {name}: repair it, or clear the memory.")
        self.name = name


class SpeechFailed(ParleyError):
    """Speech was not turned into text, or text into speech; `refused` says that the service wants no more
    of it from us: a wrong key, an unknown model.
    """

    def __init__(self, user_text: str, *, refused: bool = False) -> None:
        super().__init__(user_text)
        self.refused = refused


class SpeechTooLong(SpeechFailed):
    """A voice message, or a text to be spoken, is longer than the settings allow."""


class FeedbackUndelivered(ParleyError):
    """A service did not take what somebody thinks of an answer.

    `refused` says that it never will, `wait` how many seconds it wants to be left alone.
    """

    def __init__(self, message: str, *, refused: bool = False, wait: float = 0.0) -> None:
        super().__init__(message)
        self.refused, self.wait = refused, wait


class PersonBusy(ParleyError):
    """Turns of a person are under way; everything about them can only be erased when those are over."""


class StoreError(ParleyError):
    """Durable state did not do what was asked."""


class StoreUnavailable(StoreError):
    """Durable state cannot be reached: locked, read-only, full, or of a newer version.

    `outage` says that this is so for everything, not for one operation: the store itself has told the log.
    """

    outage = False


class StoreInUse(StoreUnavailable):
    """Another process has the data, and it is one process's only."""


class StoreMoved(StoreUnavailable):
    """Files that are open were moved, deleted or replaced. To start again would make empty ones."""


class StoreUnreachable(StoreUnavailable):
    """The store's server starts, stops, or is out of reach: it may be back in a moment."""


class LaneLost(StoreError):
    """The lane's epoch moved on; whoever holds it now decides."""


class DocumentConflict(StoreError):
    """A document changed between our read and our write."""


@contextmanager
def unwrap_exception_group(kind: type[Exception]) -> Iterator[None]:
    """Raise the first error of a task group by itself, where all of the group's errors are of `kind`.

    Not `except*`: what is raised inside that comes out as a group again before Python 3.11.4.
    """
    try:
        yield
    except ExceptionGroup as group:
        _, others = group.split(kind)
        if others is not None:
            raise
        raise _first(group) from None


def _first(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
