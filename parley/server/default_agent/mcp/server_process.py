"""The process of a server that is a command: bound to this one, so that it never outlives it."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

from parley.server.default_agent.mcp.server_file import McpServer

_PROGRAM = Path(__file__).with_name("bound_command.py")


def bound_command(server: McpServer) -> list[str]:
    """Return the command of a server as one that ends with this process. Raises FileNotFoundError.

    Where there are no process groups it stays as it is, and ends where it heeds the end of its input.
    """
    if os.name != "posix":
        return [server.command, *server.args]
    # What starts the command tells standard error only; this is told where people look for it.
    if not _is_there(server):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), server.command)
    isolated = [sys.executable, "-I", "-S", str(_PROGRAM), str(os.getpid())]
    return [*isolated, server.command, *server.args]


def _is_there(server: McpServer) -> bool:
    """Return whether a command is found, as the system looks for it."""
    if os.sep in server.command:
        return shutil.which(Path(server.folder, server.command)) is not None
    return shutil.which(server.command, path=server.env.get("PATH")) is not None
