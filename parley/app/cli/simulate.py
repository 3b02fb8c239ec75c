"""`parley simulate PLATFORM`: a chat platform on this machine, to try Parley without an account."""

from __future__ import annotations

import argparse

from parley.simulator.stand import stand


def run(arguments: argparse.Namespace) -> int:
    """Stand until a signal."""
    return stand(arguments.platform, arguments.port)
