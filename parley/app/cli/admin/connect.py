"""`parley connect CHANNEL`: make a platform's app by scanning a QR code."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import io
import shutil
from pathlib import Path
from typing import cast

from parley.app.settings.channel_registry import channel_package
from parley.app.storage.env_file import require_unset, write_variables
from parley.channels.kit.registration import Register, RegisteredApp, ScanAddress

NAMES = {"feishu": ("FEISHU_APP_ID", "FEISHU_APP_SECRET")}
"""Channels whose platform makes apps in this way, and the variables that their secrets go into."""


def run(arguments: argparse.Namespace) -> int:
    """Show the code, wait, and write what comes into `.env`. Raises ParleyError."""
    path = Path(arguments.env)
    if not arguments.replace:
        require_unset(path, NAMES[arguments.channel])
    app = asyncio.run(connect(arguments.channel, arguments.server))
    write_variables(path, app.variables)
    print(f"Done: {', '.join(app.variables)} are in {path}.")
    for key, value in app.settings.items():
        print(f"In config.yaml write channels.{arguments.channel}.{key}: {value}")
    print("Look with `parley check`, then start Parley.")
    return 0


async def connect(channel: str, server: str = "") -> RegisteredApp:
    """Return the app that somebody makes with the code in this terminal. Raises ChannelError."""
    module = importlib.import_module(f"{channel_package(channel)}.registration")
    return await cast("Register", module.register)(_show, server)


async def _show(scan: ScanAddress) -> None:
    code = qr_code(scan.url)
    print("Scan this with the app on your phone, or open the address:" if code else "Open this address:")
    print(f"\n{code}\n{scan.url}\n" if code else f"\n{scan.url}\n")
    print(f"Waiting for {scan.life / 60:.0f} minutes at most ...", flush=True)


def qr_code(text: str) -> str:
    """Return a QR code for a terminal; "" where the package for it is not installed."""
    try:
        segno = importlib.import_module("segno")
    except ModuleNotFoundError:
        return ""
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=drawn, compact=True, border=1)
    lines = drawn.getvalue()
    # Half of a code that the terminal breaks cannot be scanned.
    wide = max(map(len, lines.split("\n")))
    return lines if wide <= shutil.get_terminal_size().columns else ""
