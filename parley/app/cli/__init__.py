"""The command line: `parley run | check | chat | threads | agent | simulate | version`."""

from parley.app.cli.main import main

__all__ = ["main"]
