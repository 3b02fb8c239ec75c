"""An MCP server that ignores SIGTERM and the end of its input, and starts a process that does the same."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from mcp.server.fastmcp import FastMCP

for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(each, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal\nwhile True: signal.pause()"])
server = FastMCP("stubborn")


@server.tool()
def work() -> str:
    """Work."""
    return "done"


Path("pids").write_text(f"{os.getpid()} {child.pid}")
server.run("stdio")
while True:
    signal.pause()
