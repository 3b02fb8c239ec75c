"""The command line: `parley run | check | chat | threads | agent | simulate | version`."""

from app.cli.main import main

__all__ = ["main"]
