"""An MCP server that keeps notes in its working folder: `python notes_server.py [TRANSPORT PORT]`."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Literal

from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

HERE = Path.cwd()
server = FastMCP("notes", port=int(sys.argv[2]) if len(sys.argv) > 2 else 8000)
with (HERE / "starts").open("a") as file:
    file.write(f"{os.getpid()}\n")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def read(name: str) -> str:
    """Read a note."""
    return f"the note {name} for {os.environ.get('OWNER', 'nobody')}"


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def leave() -> str:
    """Die in the middle."""
    os._exit(1)


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def sleep() -> str:
    """Never answer."""
    time.sleep(600)
    return ""


async def note(name: str, log: str) -> None:
    """Take note of a call; one that is slow waits for the file `go`."""
    with (HERE / log).open("a") as file:
        file.write(name + "\n")
    while name == "slow" and not (HERE / "go").exists():  # noqa: ASYNC110
        await asyncio.sleep(0.05)


@server.tool()
async def write(name: str) -> str:
    """Write a note."""
    await note(name, "written")
    if name == "last":
        os._exit(1)
    return f"written {name}"


@server.tool(annotations=ToolAnnotations(idempotentHint=True))
async def put(name: str) -> str:
    """Put a note in its place."""
    await note(name, "put")
    return f"put {name}"


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
async def look(name: str) -> str:
    """Look for a note."""
    await note(name, "looked")
    return f"found {name}"


TRANSPORTS: dict[str, Literal["stdio", "sse", "streamable-http"]] = {
    "stdio": "stdio",
    "sse": "sse",
    "http": "streamable-http",
}
server.run(TRANSPORTS[sys.argv[1] if len(sys.argv) > 1 else "stdio"])
