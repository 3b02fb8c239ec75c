"""Signs of life of the event loop: to the parent of `--watched`, and to systemd (sd_notify(3))."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import socket
from collections.abc import Callable, MutableMapping
from contextlib import suppress

from parley.app.process.watchdog import PIPE

log = logging.getLogger("parley.app")

_BEATS = 4
"""In the time after which nobody believes any more that we live."""


class Heartbeat:
    """Beats from the loop on, until it is closed. `orphaned` is called when the watching parent is gone."""

    def __init__(self, environment: MutableMapping[str, str], orphaned: Callable[[], None]) -> None:
        """Take who watches out of the environment: it is meant for nobody else."""
        self._orphaned = orphaned
        self._pipe, seconds = _pipe(environment.pop(PIPE, ""))
        self._address = environment.pop("NOTIFY_SOCKET", "")
        microseconds = environment.pop("WATCHDOG_USEC", "")
        ours = environment.pop("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._to_systemd = bool(self._address) and ours and microseconds.isdecimal() and int(microseconds) > 0
        if self._to_systemd:
            seconds = min(seconds, int(microseconds) / 1e6)
        self._pause = seconds / _BEATS
        self._task: asyncio.Task[None] | None = None
        if self._pipe >= 0 or self._to_systemd:
            faulthandler.enable()  # both end a frozen process by SIGABRT: it says where it stands

    def start(self) -> None:
        """Say that we serve, and beat from now on as long as the loop runs; a second time changes nothing."""
        self._notify("READY=1")
        if self._pause != float("inf") and self._task is None:
            self._beat()  # at once: who watches knows from now on that the start is over
            self._task = asyncio.create_task(self._go_on())

    def stopping(self) -> None:
        """Say that we stop; who stops beats, too."""
        self._notify("STOPPING=1")

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            self._beat()

    def _beat(self) -> None:
        if self._to_systemd:
            self._notify("WATCHDOG=1")
        if self._pipe >= 0:
            self._to_parent()

    def _to_parent(self) -> None:
        try:
            os.write(self._pipe, b".")
        except BlockingIOError:
            pass  # it is stopped itself, and will find enough beats
        except OSError:
            log.error("the watching parent is gone: this process stops, too")
            self._pipe = -1
            self._orphaned()

    def _notify(self, state: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(state.encode(), address)


def _pipe(told: str) -> tuple[int, float]:
    """Return the descriptor to beat on, and within how many seconds; -1 where no parent watches."""
    number, _, seconds = told.partition(" ")
    try:
        pipe, within = int(number), float(seconds)
        os.set_inheritable(pipe, False)
        os.set_blocking(pipe, False)
    except (ValueError, OSError):
        return -1, float("inf")
    return pipe, within
