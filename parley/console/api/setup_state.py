"""What the page shows of the first set-up. Secrets go in only: none of these has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetupKey:
    """A credential that somebody pastes: `variable` is its name, `given` says that the environment has it."""

    key: str
    variable: str
    secret: bool
    given: bool


@dataclass(frozen=True, slots=True)
class SetupPlatform:
    """A chat platform: how its app is made. If it was asked: whether it let us in, and as whom (`found`).

    `greet` says how one writes to the bot, `rights` where a missing right is added.
    """

    name: str
    title: str
    by_qr: bool
    keys: Sequence[SetupKey]
    steps: Sequence[str]
    rights: str
    greet: str
    accepted: bool = False
    connected: bool = False
    found: str = ""
    lacking: Sequence[str] = ()
    admin: str = ""


@dataclass(frozen=True, slots=True)
class SetupScan:
    """An app that is made by scanning: the rows of its QR code are of 0 and 1."""

    channel: str
    url: str = ""
    rows: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SetupWait:
    """The wait for a first message to a bot; `ready` once it would be heard, `user` once it has come."""

    channel: str
    ready: bool = False
    user: str = ""
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class SetupAgent:
    """An agent that may be chosen: `kind` is demonstration, project, model or server."""

    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class SetupState:
    """The set-up so far. Where it is not `open` nothing else is said.

    `problem` is why the last scan or wait ended without success; `changes` are lines that would be written.
    """

    open: bool
    platforms: Sequence[SetupPlatform] = ()
    agents: Sequence[SetupAgent] = ()
    agent: SetupAgent | None = None
    agent_answer: str = ""
    scan: SetupScan | None = None
    wait: SetupWait | None = None
    problem: str = ""
    changes: Sequence[str] = ()
    written: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class SetupAssistants:
    """The assistants of an agent server."""

    assistants: Sequence[str]
