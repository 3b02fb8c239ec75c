"""An app that is made by scanning a QR code in the terminal."""

from __future__ import annotations

import asyncio
import shutil

from parley.app.cli.wizard.prompts import TerminalPrompts
from parley.app.setup.qr_code import qr_lines
from parley.channels.kit.registration import Register, RegisteredApp, ScanAddress
from parley.core.texts import SetupSentence as S


async def register_here(register: Register, prompts: TerminalPrompts, server: str = "") -> RegisteredApp:
    """Return the app that somebody makes with the code in this terminal. Raises ChannelError."""
    waiting: list[asyncio.Task[None]] = []

    async def show(scan: ScanAddress) -> None:
        print_code(scan, prompts)
        waiting.append(asyncio.create_task(count_down(scan.life, prompts)))

    try:
        return await register(show, server)
    finally:
        for task in waiting:
            task.cancel()


async def count_down(life: float, prompts: TerminalPrompts, every: float = 60.0) -> None:
    """Say now and then how much time is left."""
    while life > every:
        await asyncio.sleep(every)
        life -= every
        prompts.say(S.QR_STILL, minutes=_minutes(life))


def print_code(scan: ScanAddress, prompts: TerminalPrompts) -> None:
    """Print the code, and the address for those who cannot scan."""
    code = qr_code(scan.url)
    prompts.say(S.QR_SCAN if code else S.QR_OPEN)
    print(f"\n{code}\n{scan.url}\n" if code else f"\n{scan.url}\n")
    prompts.say(S.QR_WAITING, minutes=_minutes(scan.life))


def _minutes(seconds: float) -> int:
    return max(1, round(seconds / 60))


def qr_code(text: str) -> str:
    """Return a QR code for this terminal; "" where there is none, or it is too wide for it."""
    lines = qr_lines(text)
    # Half of a code that the terminal breaks cannot be scanned.
    wide = max(map(len, lines.split("\n")))
    return lines if wide <= shutil.get_terminal_size().columns else ""
