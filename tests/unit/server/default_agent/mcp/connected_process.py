"""A process that is connected to an MCP server: `python -m ... PROGRAM FOLDER`, where the program runs."""

import asyncio
import sys

from parley.server.default_agent.mcp.connection import McpConnection
from parley.server.default_agent.mcp.server_file import McpServer


async def main(program: str, folder: str) -> None:
    """Connect, say so, and wait to be killed."""
    server = McpServer("stubborn", "stdio", sys.executable, (program,), folder=folder)
    await McpConnection(server, 60.0).connect()
    sys.stdout.write("connected\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
