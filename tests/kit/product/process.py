"""Parley as its users run it: a process of its own, with a configuration file and a log."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals
from typing import Any, TypedDict

import httpx
import yaml

from tests.kit.checkout import ROOT, USER_DATA
from tests.kit.machine import patience

# Everything here is as fast as the machine; whoever waits this long waits for something that never comes.
PATIENCE = patience(60.0)
_ADDRESS = re.compile(r"(?:^Open |health is at |API is at )(http://[^\s/]+(?:/\?token=\S+)?)")
_TOKEN = "/?token="
_SECRETS = ("_TOKEN", "_KEY", "_PROXY", "_proxy")

AGENT_KEY = "the-key-of-an-agent-in-tests"
"""What `parley agent` is configured with, and whoever asks it."""

Config = Mapping[str, object]


class WayIn(TypedDict):
    """What a client of httpx needs to be let in."""

    base_url: str
    headers: dict[str, str]
    trust_env: bool


def split(address: str) -> tuple[str, str]:
    """The URL and the token of an address as Parley prints it; the token may be none."""
    url, _, token = address.partition(_TOKEN)
    return url, token


def _answers(client: httpx.Client) -> bool:
    with suppress(httpx.TransportError):
        client.get("/livez")
        return True
    return False


def way_in(address: str) -> WayIn:
    """The way into the Parley that printed this address."""
    url, token = split(address)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return {"base_url": url, "headers": headers, "trust_env": False}


def asking(url: str) -> Config:
    """The section of the configuration for an agent server of the tests."""
    return {"url": url, "api_key": AGENT_KEY}


def environment() -> dict[str, str]:
    """The environment without whatever this machine's user has set for other programs."""
    clean = {key: value for key, value in os.environ.items() if not key.endswith(_SECRETS)}
    ours = {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "XDG_DATA_HOME": str(USER_DATA)}
    return clean | ours


def command(*arguments: str) -> list[str]:
    """The command line of `parley`."""
    return [sys.executable, "-m", "parley", *arguments]


def write_config(folder: Path, config: Config) -> None:
    """`config.yaml` in `folder`, its owner's alone: it may hold secrets.

    Answers are compared whole: the notice of memory is below none of them unless a test asks for it.
    """
    memory: Any = config.get("memory", {})
    config = {**config, "memory": {"first_use_notice": False, **memory}}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(dict(config), allow_unicode=True), "utf-8")
    path.chmod(0o600)


def parley(
    folder: Path, *arguments: str, stdin: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; `variables` are added to its environment."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment() | variables,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@dataclass
class Process:
    """`parley run` (or `agent`) in `folder`; it may be started again after its end, on the same data.

    `url` is as it was printed, with the token: see `way_in`. Each start writes `config` down; `variables` are
    added to its environment. The log is `parley.log` in the folder, one for all lives. `prefix` stands in
    front of the command, and becomes it (`exec`).
    """

    folder: Path
    config: Config
    arguments: tuple[str, ...] = ("run",)
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()
    _child: subprocess.Popen[str] | None = None
    _printed: list[str] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def log(self) -> str:
        """Standard error of all lives so far."""
        path = self.folder / "parley.log"
        return path.read_text("utf-8", errors="replace") if path.exists() else ""

    @property
    def printed(self) -> str:
        """Standard output of this life so far."""
        with self._news:
            return "".join(self._printed)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._child is not None and self._child.poll() is None

    def spawn(self) -> None:
        """Start it, and do not wait for anything."""
        write_config(self.folder, self.config)
        self.url, self._printed = "", []
        with (self.folder / "parley.log").open("a") as log:
            self._child = subprocess.Popen(
                [*self.prefix, *command(*self.arguments, "--config", "config.yaml")],
                cwd=self.folder,
                env=environment() | dict(self.variables),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        threading.Thread(target=self._read, args=(self._child, self._printed), daemon=True).start()

    def start(self) -> str:
        """Start it and return its address once it serves. Raises AssertionError when it ends instead."""
        self.spawn()
        return self.wait_until_up()

    def wait_until_up(self) -> str:
        """Return the address once it is printed. Raises AssertionError when the process ends instead."""
        with self._news:
            met = self._news.wait_for(lambda: self.url or self._ended, PATIENCE)
        assert self.url, f"{'ended' if met else 'silent'}: {self.printed}\n{self.log[-2000:]}"
        return self.url

    def wait_until_ready(self) -> str:
        """Return the address once every part is up: platforms are connected to after the page serves."""
        url, end = split(self.wait_until_up())[0], time.monotonic() + PATIENCE
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE) as stranger:
            while (said := stranger.get("/readyz").text) != "ready\n":
                assert time.monotonic() < end, f"not ready: {said}\n{self.log[-2000:]}"
                time.sleep(0.02)
        return self.url

    def wait_until_answers(self) -> None:
        """Return once its loop goes round: it answers anything at all."""
        url, end = split(self.wait_until_up())[0], time.monotonic() + PATIENCE
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE) as stranger:
            while not _answers(stranger):
                assert self.alive, self.log[-2000:]
                assert time.monotonic() < end, f"no answer\n{self.log[-2000:]}"
                time.sleep(0.02)

    def wait_until_prints(self, text: str) -> None:
        """Return once `text` was printed."""
        with self._news:
            assert self._news.wait_for(lambda: any(text in line for line in self._printed), PATIENCE), text

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def terminate(self) -> int:
        """SIGTERM; returns the exit code."""
        return self._end(signal.SIGTERM)

    def signal(self, number: Signals) -> None:
        """Send a signal and do not wait."""
        if self._child is not None:
            self._child.send_signal(number)

    def wait(self) -> int:
        """Wait for the end; returns the exit code."""
        assert self._child is not None
        code = self._child.wait(PATIENCE)
        with self._news:
            self._news.wait_for(lambda: self._ended, PATIENCE)
        return code

    def _end(self, number: Signals) -> int:
        if self._child is None:
            return 0
        self.signal(number)
        return self.wait()

    @property
    def _ended(self) -> bool:
        child = self._child
        return child is None or bool(child.stdout and child.stdout.closed and child.poll() is not None)

    def _read(self, child: subprocess.Popen[str], printed: list[str]) -> None:
        assert child.stdout is not None
        with child.stdout as lines:
            for line in lines:
                with self._news:
                    printed.append(line)
                    found = _ADDRESS.search(line)
                    if found and printed is self._printed:
                        self.url = found[1]
                    self._news.notify_all()
        child.wait()  # its output ends a moment before itself
        with self._news:
            self._news.notify_all()


def printed(terminal: int) -> Iterator[bytes]:
    """What comes out of a terminal, piece by piece, until its other side is closed."""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            return
        if not piece:
            return
        yield piece
