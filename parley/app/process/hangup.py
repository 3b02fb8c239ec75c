"""SIGHUP: of an operator, who wants the configuration read again, or of a terminal that was closed."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

_TERMINAL = "/dev/tty"


def on_hangup(reload: Callable[[], None], stop: Callable[[], None]) -> None:
    """Call `reload` at SIGHUP, or `stop` where it says that our terminal is gone."""
    began_with_one = has_terminal()

    def hung_up() -> None:
        if began_with_one and not has_terminal():
            stop()
        else:
            reload()

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up)


def has_terminal() -> bool:
    """Return whether the process has a controlling terminal that is still there."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
