"""`parley version`."""

import argparse

from parley.version import VERSION


def run(arguments: argparse.Namespace) -> int:
    """Print the version."""
    print(f"Parley {VERSION}")
    return 0
