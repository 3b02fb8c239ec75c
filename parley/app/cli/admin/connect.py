"""`parley connect CHANNEL`: make a platform's app by scanning a QR code."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import io
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from parley.app.cli.load_config import load_config
from parley.app.settings.channel_registry import channel_config, channel_registration
from parley.app.settings.load import DEFAULT_FILE, LoadedSettings
from parley.app.storage.env_file import require_unset, write_variables
from parley.channels.kit.registration import Register, RegisteredApp, ScanAddress


def run(arguments: argparse.Namespace) -> int:
    """Show the code, wait, and write what comes into `.env`. Raises ParleyError."""
    connect_channel(arguments.channel, arguments.config, arguments.server, replace=arguments.replace)
    print("Look with `parley check`, then start Parley.")
    return 0


def connect_channel(channel: str, config: Path | None, server: str = "", replace: bool = False) -> None:
    """Have an app made by a QR code, and switch its channel on. Raises ParleyError."""
    register = channel_registration(channel)
    require_free(channel, config, replace=replace)
    save_credentials(channel, config, asyncio.run(register_here(register, server)).keys)


def require_free(channel: str, config: Path | None, replace: bool = False) -> None:
    """Raise ConfigError where the channel has credentials, or the configuration cannot be read.

    What is wrong with the file is said before anybody does anything.
    """
    load_config(config, False)
    names = [variable_name(channel, key) for key in channel_config(channel)().credentials()]
    require_unset(_env_file(config), names, os.environ, replace=replace)


def save_credentials(channel: str, config: Path | None, keys: Mapping[str, str]) -> None:
    """Write values for keys of a channel's section into `.env`, and say what else it takes, if anything.

    Raises ParleyError.
    """
    variables = {variable_name(channel, key): value for key, value in keys.items()}
    write_variables(_env_file(config), variables)
    print(f"Done: {', '.join(variables)} are in {_env_file(config)}.")
    if not is_on(load_config(config, False), channel, keys):
        print(f"Write this into {config or DEFAULT_FILE}:\n\n{section(channel, keys)}\n")


def _env_file(config: Path | None) -> Path:
    return (config or DEFAULT_FILE).parent / ".env"


def variable_name(channel: str, key: str) -> str:
    """Return the environment variable for a key of a channel's section."""
    return f"{channel}_{key}".upper().replace("-", "_")


def is_on(loaded: LoadedSettings, channel: str, keys: Mapping[str, str]) -> bool:
    """Tell whether the configuration turns the channel on with these values."""
    wanted, found = channel_config(channel).model_validate(dict(keys)), loaded.channels.get(channel)
    return found is not None and all(getattr(found, key) == getattr(wanted, key) for key in keys)


def section(channel: str, keys: Mapping[str, str]) -> str:
    """Return what turns the channel on, where the configuration does not have it."""
    lines = [f"    {key}: ${variable_name(channel, key)}" for key in keys]
    return "\n".join(("channels:", f"  {channel}:", *lines))


async def register_here(register: Register, server: str = "") -> RegisteredApp:
    """Return the app that somebody makes with the code in this terminal. Raises ChannelError."""
    waiting: list[asyncio.Task[None]] = []

    async def show(scan: ScanAddress) -> None:
        print_code(scan)
        waiting.append(asyncio.create_task(count_down(scan.life)))

    try:
        return await register(show, server)
    finally:
        for task in waiting:
            task.cancel()


async def count_down(life: float, every: float = 60.0) -> None:
    """Say now and then how much time is left."""
    while life > every:
        await asyncio.sleep(every)
        life -= every
        print(f"Still waiting, for {_minutes(life)} at most.", flush=True)


def print_code(scan: ScanAddress) -> None:
    """Print the code, and the address for those who cannot scan."""
    code = qr_code(scan.url)
    print("Scan this with the app on your phone, or open the address:" if code else "Open this address:")
    print(f"\n{code}\n{scan.url}\n" if code else f"\n{scan.url}\n")
    print(f"Waiting for {_minutes(scan.life)} at most ...", flush=True)


def _minutes(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return "one minute" if minutes == 1 else f"{minutes} minutes"


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
