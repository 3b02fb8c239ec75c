"""`parley address`: where the chat page is, as it was printed at the start."""

from __future__ import annotations

import argparse

from parley.app.cli.load_config import load_config
from parley.app.storage.endpoint import server_url
from parley.app.storage.secret_files import console_url, existing_token
from parley.core.model.errors import ParleyError


def run(arguments: argparse.Namespace) -> int:
    """Print the address that opens the page; whoever reads it may do everything there."""
    loaded = load_config(arguments.config, arguments.verbose, level="warning")
    console = loaded.settings.console
    if not console.port:
        raise ParleyError("console.port is 0: the address is another one at every start, and printed then.")
    if not existing_token(loaded):
        raise ParleyError("there is no address yet: it is made at the first start, with: parley run")
    print(console_url(loaded, server_url(console.host, console.port)))
    return 0
