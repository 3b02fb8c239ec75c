"""`python -m parley.simulator PLATFORM`: a chat platform on loopback, until Ctrl-C."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from parley.simulator.foreground import run_in_foreground
from parley.simulator.registry import platforms


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one simulator until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m parley.simulator", description=__doc__)
    parser.add_argument("platform", choices=platforms())
    parser.add_argument("--port", type=int, default=0, help="0 (default) takes a free one")
    chosen = parser.parse_args(arguments)
    return run_in_foreground(chosen.platform, chosen.port)


if __name__ == "__main__":
    raise SystemExit(main())
