"""`parley init`: choose chat platforms, and give Parley the credentials of their apps."""

from __future__ import annotations

import argparse
import getpass
import sys
from contextlib import suppress
from pathlib import Path

from parley.app.cli.admin.connect import connect_channel, require_free, save_credentials, variable_name
from parley.app.settings.channel_registry import channel_config, channel_names, registering_channels
from parley.core.model.errors import ParleyError


def run(arguments: argparse.Namespace) -> int:
    """Set up one platform after another, until none is chosen. Raises ParleyError."""
    with suppress(EOFError):
        while channel := choose_channel():
            try:
                set_up(channel, arguments.config, arguments.server)
            except ParleyError as error:
                print(error.user_text)
    print("\nLook with `parley check`, then start Parley with `parley run`.")
    return 0


def choose_channel() -> str:
    """Return the platform that is asked for, "" for no more. Raises EOFError."""
    scanned = registering_channels()
    channels = [name for name in channel_names() if channel_config(name)().credentials()]
    print("\nWhich chat platform?\n")
    for number, name in enumerate(channels, 1):
        how = (
            "its app is made by scanning a QR code" if name in scanned else f"make its app by docs/{name}.md"
        )
        print(f"  {number}. {name:9} {how}")
    while True:
        answer = input("\nA number or a name; Enter when there are no more: ").strip().lower()
        if answer in ("", *channels):
            return answer
        if answer.isdecimal() and answer.isascii() and 1 <= int(answer[:9]) <= len(channels):
            return channels[int(answer) - 1]
        print(f"There is no {answer[:100]}.")


def set_up(channel: str, config: Path | None, server: str = "") -> None:
    """Switch one platform on, by a QR code or by what is typed. Raises ParleyError, EOFError."""
    if channel in registering_channels():
        connect_channel(channel, config, server)
        return
    require_free(channel, config)
    typed = {key: _ask(variable_name(channel, key)) for key in channel_config(channel)().credentials()}
    if keys := {key: value for key, value in typed.items() if value}:
        save_credentials(channel, config, keys)


def _ask(name: str) -> str:
    """Ask for a secret, which is not shown while it is typed."""
    question = f"{name} (Enter to leave it out): "
    return (getpass.getpass if sys.stdin.isatty() else input)(question).strip()
