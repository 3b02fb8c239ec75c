"""Parley as somebody has it who cloned it: a checkout with `make`, an environment and files of their own."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kit.free_ports import free_port
from tests.kit.checkout import PACKAGES, ROOT, SHIPPED
from tests.kit.product.process import PATIENCE, environment

_HEARS_CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Who runs the tests in the background makes them ignore it; a shell on a terminal does not."""
_OF_MAKE = (
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "ARGS",
    "EDITION",
    "LEDGER",
    "VENV",
    "PYTHON",
)
"""What a `make` that runs these tests hands down; the user who types the command has none of it."""


@dataclass
class Shell:
    """A command that runs in an installation."""

    process: subprocess.Popen[str]
    _printed: list[str] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def printed(self) -> str:
        """What it wrote so far, on either stream."""
        with self._news:
            return "".join(self._printed)

    def waits_for(self, pattern: str) -> re.Match[str]:
        """Wait until it has printed this. Raises AssertionError when it ends before."""
        with self._news:
            self._news.wait_for(lambda: self._found(pattern) or self._ended, PATIENCE)
            found = self._found(pattern)
        assert found, f"no {pattern!r} in:\n{self.printed}"
        return found

    def wait(self) -> int:
        """Wait for its end; returns the exit code."""
        code = self.process.wait(PATIENCE)
        with self._news:
            self._news.wait_for(lambda: self._ended, PATIENCE)
        return code

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal sends it: to all that was started. Waits for its end."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        self.wait()

    def kill(self) -> None:
        """Leave nothing of it."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def _ended(self) -> bool:
        output = self.process.stdout
        return output is None or output.closed

    def _found(self, pattern: str) -> re.Match[str] | None:
        return re.search(pattern, "".join(self._printed), re.DOTALL)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                with self._news:
                    self._printed.append(line)
                    self._news.notify_all()
        with self._news:
            self._news.notify_all()


@dataclass(frozen=True)
class Installation:
    """A checkout in `folder`. Its `config.yaml` is the one as shipped, at a free port."""

    folder: Path
    port: int

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    def edit(self, old: str, new: str) -> None:
        """Change a line of `config.yaml`, as somebody does in an editor."""
        text = self.config.read_text("utf-8")
        assert text.count(old) >= 1, f"no {old!r} in config.yaml"
        self.config.write_text(text.replace(old, new, 1), "utf-8")

    @contextmanager
    def typed(
        self, script: str, answers: str = "", piped: str = "", variables: Mapping[str, str] | None = None
    ) -> Iterator[Shell]:
        """Run a line of shell; `answers` are typed on a terminal, `piped` comes through a pipe."""
        ours, theirs = pty.openpty() if answers else os.pipe()
        reads, writes = (theirs, ours) if answers else (ours, theirs)
        try:
            process = subprocess.Popen(
                [sys.executable, "-ISc", _HEARS_CTRL_C, "bash", "-c", script],
                cwd=self.folder,
                env=self._environment() | dict(variables or {}),
                stdin=reads,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            os.close(reads)
            os.write(writes, (answers or piped).encode())
            if not answers:
                os.close(writes)
            shell = Shell(process)
            try:
                yield shell
            finally:
                shell.kill()
        finally:
            if answers:
                os.close(writes)

    def _environment(self) -> dict[str, str]:
        clean = {key: value for key, value in environment().items() if key not in _OF_MAKE}
        return clean | {"PATH": f"{self.folder / '.venv' / 'bin'}:{clean['PATH']}"}


def install(folder: Path) -> Installation:
    """Make a checkout: ours by links, so that what is tried is this code, and files of its own beside it."""
    for name in ("Makefile", "pyproject.toml", "requirements", "scripts", "tests", *PACKAGES):
        (folder / name).symlink_to(ROOT / name)
    _environment_of(folder / ".venv")
    made = Installation(folder, free_port())
    made.config.write_text(SHIPPED.read_text("utf-8"), "utf-8")
    made.edit("port: 8765", f"port: {made.port}")
    return made


def _environment_of(venv: Path) -> None:
    """Make the environment of these tests the checkout's own, so that `make` has nothing to install."""
    programs = venv / "bin"
    programs.mkdir(parents=True)
    base = Path(sys.prefix)
    for path in base.iterdir():
        if path.name != "bin" and not path.name.startswith("."):
            (venv / path.name).symlink_to(path)
    for path in (base / "bin").iterdir():
        if path.name != "parley":
            (programs / path.name).symlink_to(path)
    (programs / "parley").write_text(f'#!/bin/sh\nexec "{programs}/python" -m parley "$@"\n')
    (programs / "parley").chmod(0o755)
    for marker in (".made", ".run", ".test"):
        (venv / marker).touch()
