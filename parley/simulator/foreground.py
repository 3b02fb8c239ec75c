"""One platform in the foreground of a terminal."""

from __future__ import annotations

import signal
import socket
import sys

from parley.simulator.registry import running

ENDINGS = {signal.SIGINT, signal.SIGTERM}


def run_in_foreground(platform: str, port: int = 0) -> int:
    """Simulate a platform until Ctrl-C or SIGTERM; returns the exit code. `port` 0 takes a free one."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except (OSError, OverflowError) as error:
        sys.stderr.write(f"port {port} cannot be used: {error}\n")
        return 1
    # Before any thread starts, so that the signals wait for sigwait.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    with running(platform, port) as advice:
        sys.stdout.write(advice)
        sys.stdout.flush()
        signal.sigwait(ENDINGS)
    return 0
