"""`parley address`: where the chat page is, as it was printed at the start."""

from __future__ import annotations

import argparse

from parley.app.cli.chat import address
from parley.app.cli.configured import configured
from parley.app.tokens import entrance, known_token
from parley.core.errors import ParleyError


def run(arguments: argparse.Namespace) -> int:
    """Print the address that opens the page; whoever reads it may do everything there."""
    loaded = configured(arguments.config, arguments.verbose, level="warning")
    console = loaded.settings.console
    if not console.port:
        raise ParleyError("console.port is 0: the address is another one at every start, and printed then.")
    if not known_token(loaded):
        raise ParleyError("there is no address yet: it is made at the first start, with: parley run")
    print(entrance(loaded, address(console.host, console.port)))
    return 0
