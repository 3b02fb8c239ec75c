"""`parley`, also as `python -m parley`; what only watches another process loads nothing of it."""

import sys

from parley.app.process.watchdog import parse_watched, run_watched

_BARE = ("run", "--watched")
"""What `parley` alone does: who tries it for the first time wants to see it."""


def main() -> int:
    """Run the command of the command line; returns the exit code."""
    arguments = sys.argv[1:] or list(_BARE)
    watched = parse_watched(arguments)
    if watched is not None:
        return run_watched([sys.executable, "-m", "parley", *watched[0]], watched[1])

    from parley.app.cli import main as run_command

    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
