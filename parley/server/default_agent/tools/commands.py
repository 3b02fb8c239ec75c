"""Shell commands in the conversation's workspace: each in a sandbox, and on the record."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from langchain.tools import ToolRuntime
from langchain_core.tools import BaseTool, tool

from parley.core.model.address import Conversation
from parley.server.default_agent.files.backend import running_thread
from parley.server.default_agent.run_context import identity_of
from parley.server.options import CommandOptions
from parley.server.sandbox.record import CommandRun, RecordCommand
from parley.server.sandbox.sandbox import CommandResult, Sandbox
from parley.server.workspace.workspaces import Workspaces

log = logging.getLogger(__name__)

_MOST_SHOWN = 1_000


def command_tool(options: CommandOptions, workspaces: Workspaces) -> BaseTool:
    """Return the tool. It says nothing of itself that would spare the question of whether it may."""
    sandbox = Sandbox(options.isolation, options.limits)

    @tool
    async def run_command(command: str, runtime: ToolRuntime[Any, Any]) -> str:
        """Run a shell command (sh) on the files of the workspace, and return what it writes.

        It begins in the workspace: `/data/a.csv` of the other tools is `data/a.csv` here. There is no
        network, no terminal and no input. What it writes in the workspace is kept if it ends by itself, and
        if it is an ordinary file or folder; nothing that it starts runs on after it.
        """
        runtime.stream_writer({"step": {"id": runtime.tool_call_id, "details": command[:_MOST_SHOWN]}})
        thread = running_thread()
        folder = await asyncio.to_thread(workspaces.of, thread)
        async with _recorded(options.record, identity_of(runtime.context), thread, command) as outcome:
            result = await sandbox.run(folder, command)
            outcome.append(_outcome(result))
        return "\n".join(_told(result))

    return run_command


@asynccontextmanager
async def _recorded(
    record: RecordCommand, who: Mapping[str, Any], thread: str, command: str
) -> AsyncIterator[list[str]]:
    """Keep that a command runs, and once it has ended how; nothing in the list means that it was stopped."""
    account, place, begin = str(who.get("account", "")), _conversation(who), time.monotonic()
    log.info("a command begins for %s in %s: %r", account or "-", place or thread, command[:_MOST_SHOWN])
    outcome: list[str] = []
    try:
        yield outcome
    finally:
        said, seconds = "".join(outcome) or "stopped, or it could not be run", time.monotonic() - begin
        log.info("that command for %s in %s: %s (%.1f s)", account or "-", place or thread, said, seconds)
        await record(CommandRun(account, place, thread, command, said, seconds))


def _conversation(who: Mapping[str, Any]) -> str:
    if not who.get("channel"):
        return ""
    return Conversation(
        str(who["channel"]), str(who.get("chat", "")), str(who.get("topic") or "") or None
    ).key


def _outcome(result: CommandResult) -> str:
    ending = result.ending
    return f"ended, for {ending.reason}" if ending.reason else f"exit code {ending.exit_code}"


def _told(result: CommandResult) -> Iterator[str]:
    """Yield what the model reads."""
    ending, changes = result.ending, result.changes
    if ending.reason:
        yield f"The command was ended, for {ending.reason}. Its changes of files were dropped."
    else:
        yield f"Exit code: {ending.exit_code}"
    if ending.output:
        yield ending.output
    if changes.left_out:
        yield f"Not kept in the workspace: {'; '.join(changes.left_out)}"
