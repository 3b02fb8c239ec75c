"""The parent of `parley run --watched`: it starts the real process again when that is frozen, or crashed.

No thread of a process can do this: whoever holds the interpreter keeps all of them from running. It imports
next to nothing, since it lives as long as Parley.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType

PIPE = "PARLEY_WATCHDOG"
"""The variable that tells the child where to beat, and how often: `DESCRIPTOR SECONDS`."""

SECONDS = 60.0
"""Without a beat, after which a process is frozen."""

CONFIG_ERROR_EXIT = 2
"""The exit code of what has to be mended first: a configuration, a command line, a moved database."""

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_ENDING = (signal.SIGINT, signal.SIGTERM)
_LOOK_EVERY = 0.25  # seconds; the end of a child is seen so late
_TRACEBACK = 5.0  # seconds for a frozen process to say where it stands
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0


def parse_watched(arguments: Sequence[str]) -> tuple[list[str], float] | None:
    """Return the arguments of the child, and the seconds; None where `--watched` is not wanted, or wrong."""
    if list(arguments[:1]) != ["run"]:
        return None
    rest, seconds, found = ["run"], SECONDS, False
    words = list(arguments[1:])
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name != "--watched":
            rest.append(word)
            continue
        if not equals and words and not words[0].startswith("-"):
            value = words.pop(0)
        found = True
        try:
            seconds = float(value) if value else SECONDS
        except ValueError:
            return None
    return (rest, seconds) if found and 0 < seconds < float("inf") else None


def run_watched(command: Sequence[str], seconds: float) -> int:
    """Keep `command` running until it is told to stop, or ends by itself; returns its exit code."""
    child = _Child(command, seconds)
    before = {number: signal.signal(number, child.on_signal) for number in _PASSED_ON}
    try:
        return _keep_up(child)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _keep_up(child: _Child) -> int:
    pause, served = _FIRST_PAUSE, False
    while True:
        began = time.monotonic()
        code = child.run()
        # Who served once comes back: another process, such as a chat, may have its data for a moment.
        served = served or child.served
        if child.stopping or code in (0, CONFIG_ERROR_EXIT) or (code > 0 and not served):
            if code == CONFIG_ERROR_EXIT:
                _say("Not started again: what stands above has to be mended first.")
            return code if code >= 0 else 128 - code
        if time.monotonic() - began > _LONGEST_PAUSE:
            pause = _FIRST_PAUSE
        _say(f"Parley {_ended(child.frozen, code)}; it is started again in {pause:.0f} s.")
        if not _slept(pause, lambda: child.stopping):
            return 128 - code if code < 0 else code
        pause = min(2 * pause, _LONGEST_PAUSE)


def _ended(frozen: float, code: int) -> str:
    if frozen:
        return f"was frozen for {frozen:g} s and has been ended"
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _slept(seconds: float, stopping: Callable[[], bool]) -> bool:
    """Return whether it slept to the end."""
    end = time.monotonic() + seconds
    while not stopping() and time.monotonic() < end:
        time.sleep(min(_LOOK_EVERY, seconds))
    return not stopping()


def _say(text: str) -> None:
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        pass  # the terminal is gone


class _Child:
    """The real process. `served` says that it beat, `frozen` for how long it had not when it was ended."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._command = list(command)
        self._seconds = seconds
        self._pid = 0
        self.stopping = False
        self.served = False
        self.frozen = 0.0

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """Pass a signal on."""
        self.stopping = self.stopping or number in _ENDING
        if self._pid:
            os.kill(self._pid, number)

    def run(self) -> int:
        """Start it and see it through to its end; returns its exit code, or minus the signal's number."""
        self.served, self.frozen = False, 0.0
        beats, there = os.pipe()
        os.set_inheritable(there, True)
        variables = {**os.environ, PIPE: f"{there} {self._seconds}"}
        # In a group of its own: Ctrl-C reaches us alone, and is passed on once.
        self._pid = os.posix_spawn(self._command[0], self._command, variables, setpgroup=0)
        os.close(there)
        try:
            if self.stopping:
                os.kill(self._pid, signal.SIGTERM)
            return self._watch(beats)
        finally:
            self._pid = 0
            os.close(beats)

    def _watch(self, beats: int) -> int:
        """Watch from the first beat on: a start may take as long as it likes."""
        deadline = float("inf")
        open_ = True
        while (code := self._code()) is None:
            waits = max(0.0, min(_LOOK_EVERY, deadline - time.monotonic()))
            ready, _, _ = select.select([beats] if open_ else [], [], [], waits)
            if ready and (open_ := bool(os.read(beats, 4096))):
                self.served, deadline = True, time.monotonic() + self._seconds
            elif not ready and time.monotonic() >= deadline:
                self.frozen = self._seconds
                return self._end()
        return code

    def _end(self) -> int:
        """Let it say where it stands (see app.process.heartbeat), and end it."""
        os.kill(self._pid, signal.SIGABRT)
        end = time.monotonic() + min(_TRACEBACK, self._seconds)
        while (code := self._code()) is None and time.monotonic() < end:
            time.sleep(0.05)
        if code is None:
            os.kill(self._pid, signal.SIGKILL)
            _, status = os.waitpid(self._pid, 0)
            code = os.waitstatus_to_exitcode(status)
        return code

    def _code(self) -> int | None:
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None
