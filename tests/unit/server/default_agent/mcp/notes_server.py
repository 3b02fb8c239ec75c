"""An MCP server that keeps notes in its working folder: `python notes_server.py [TRANSPORT PORT]`."""

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


@server.tool()
def write(name: str) -> str:
    """Write a note."""
    with (HERE / "written").open("a") as file:
        file.write(name + "\n")
    if name == "last":
        os._exit(1)
    while name == "slow" and not (HERE / "go").exists():
        time.sleep(0.05)
    return f"written {name}"


TRANSPORTS: dict[str, Literal["stdio", "sse", "streamable-http"]] = {
    "stdio": "stdio",
    "sse": "sse",
    "http": "streamable-http",
}
server.run(TRANSPORTS[sys.argv[1] if len(sys.argv) > 1 else "stdio"])
