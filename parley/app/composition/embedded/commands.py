"""Files and commands of the built-in agent: commands are tried at the start, and kept on the record."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING
from uuid import uuid4

from parley.app.checks.commands import command_limits, try_commands
from parley.app.extras import install_command
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import WORKSPACES
from parley.core.hitl.audit import command_document
from parley.core.model.errors import ConfigError, StoreUnavailable
from parley.core.ports.journal import DocumentRepository
from parley.server.options import CommandOptions
from parley.server.sandbox.limits import SandboxFailed
from parley.server.sandbox.record import CommandRun, RecordCommand

if TYPE_CHECKING:
    from parley.server.workspace.workspaces import Workspaces

log = logging.getLogger(__name__)

_MOST_KEPT = 2_000


class CommandAudit:
    """Keeps commands in the audit record, from when there is a store."""

    def __init__(self) -> None:
        self._bound: tuple[asyncio.AbstractEventLoop, DocumentRepository, Callable[[], float]] | None = None

    def bind(self, documents: DocumentRepository, clock: Callable[[], float]) -> None:
        """Keep them there from now on, by this loop's store."""
        self._bound = asyncio.get_running_loop(), documents, clock

    async def __call__(self, run: CommandRun) -> None:
        if self._bound is None:
            return
        loop, documents, clock = self._bound
        command, outcome = run.command[:_MOST_KEPT], f"{run.outcome} ({run.seconds:.1f} s)"
        entry = command_document(clock(), str(uuid4()), run.account, run.conversation, command, outcome)
        try:
            # The agent may run on a loop of its own.
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(documents.set(entry), loop))
        except StoreUnavailable as error:
            log.warning("a command is not in the audit record: %s", error)


def conversation_files(loaded: LoadedSettings) -> Workspaces | None:
    """Return where conversations have files. Raises ConfigError where the package for it is not installed."""
    section = loaded.settings.built_in.workspace
    if not section.enabled:
        return None
    # What is off loads nothing.
    from parley.server.workspace.entries import WorkspaceLimits
    from parley.server.workspace.workspaces import DAY, Workspaces

    if find_spec("deepagents") is None:
        raise ConfigError(
            f"built_in.workspace: Deep Agents is not installed; run: {install_command('workspace')}"
        )
    limits = WorkspaceLimits(section.size, section.files, min(section.size, WorkspaceLimits().file))
    return Workspaces(loaded.data_dir / WORKSPACES, limits, section.keep_days * DAY)


def command_options(loaded: LoadedSettings, record: RecordCommand) -> CommandOptions | None:
    """Return how commands are run, None where they are off. Raises ConfigError where they cannot be."""
    if not loaded.settings.built_in.sandbox.enabled:
        return None
    try:
        isolation = try_commands(loaded)
    except SandboxFailed as error:
        raise ConfigError(f"built_in.sandbox: {error}") from error
    return CommandOptions(isolation, command_limits(loaded), record)
