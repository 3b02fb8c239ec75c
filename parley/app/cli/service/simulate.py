"""`parley simulate PLATFORM`: a chat platform on this machine, to try Parley without an account."""

from __future__ import annotations

import argparse

from parley.simulator.foreground import run_in_foreground


def run(arguments: argparse.Namespace) -> int:
    """Stand until a signal."""
    return run_in_foreground(arguments.platform, arguments.port)
