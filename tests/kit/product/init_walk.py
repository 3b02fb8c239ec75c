"""`parley init` as somebody walks through it on a simulated platform: with a terminal, from an empty folder.

`python -m tests.kit.product.init_walk` prints the seconds and keystrokes of each platform.
"""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.dingtalk.operator import DingTalkOperator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.feishu.operator import FeishuOperator
from parley.simulator.slack import SlackSimulator
from parley.simulator.slack.operator import SlackOperator
from parley.simulator.telegram import TelegramSimulator
from parley.simulator.telegram.operator import TelegramOperator
from tests.kit.machine import patience
from tests.kit.product.process import command, environment

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LOOK = 0.02


def new_user(folder: Path) -> dict[str, str]:
    """The variables of somebody who has no Parley of their own yet."""
    return {"XDG_DATA_HOME": f"{folder}.user-data"}


@dataclass
class TypedTerminal:
    """A command of `parley` in a terminal; what is typed and pasted is counted.

    A paste counts as one keystroke: nobody types a token.
    """

    folder: Path
    arguments: tuple[str, ...]
    keystrokes: int = 0
    _shown: str = ""
    _read: int = 0
    _news: threading.Condition = field(default_factory=threading.Condition)

    def __enter__(self) -> TypedTerminal:
        ours, theirs = pty.openpty()
        self._terminal = ours
        variables = environment() | {"LANG": "C.UTF-8", "COLUMNS": "120", **new_user(self.folder)}
        self.process = subprocess.Popen(
            command(*self.arguments),
            cwd=self.folder,
            env=variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._reader = threading.Thread(target=self._take, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            with suppress(AssertionError):
                self.interrupt()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        os.close(self._terminal)

    @property
    def shown(self) -> str:
        """Everything on the terminal so far."""
        with self._news:
            return self._shown

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the next place, after the last one, that has the pattern."""
        until = time.monotonic() + patience(60)
        with self._news:
            while not (found := re.compile(pattern).search(self._shown, self._read)):
                if self.process.poll() is not None and not self._reader.is_alive():
                    raise AssertionError(f"ended before {pattern!r}:\n{self._shown}")
                if not self._news.wait(max(0, until - time.monotonic())):
                    raise AssertionError(f"no {pattern!r}:\n{self._shown}")
            self._read = found.end()
            return found

    def answer(self, pattern: str, text: str = "", *, pasted: bool = False) -> None:
        """Wait for a question, and answer it with Enter behind."""
        self.wait_for(pattern)
        self.keystrokes += (1 if pasted else len(text)) + 1
        os.write(self._terminal, f"{text}\n".encode())

    def interrupt(self) -> int:
        """Press Ctrl-C, again where Python lost the signal just before it began to read; the exit code."""
        until = time.monotonic() + patience(60)
        while time.monotonic() < until:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                return self.process.wait(patience(1))
        raise AssertionError(f"does not end:\n{self.shown}")

    def _take(self) -> None:
        with suppress(OSError):
            while part := os.read(self._terminal, 65_536):
                with self._news:
                    self._shown += _ANSI.sub("", part.decode("utf-8", "replace")).replace("\r", "")
                    self._news.notify_all()
        with self._news:
            self._news.notify_all()


@dataclass(frozen=True)
class Walker:
    """A simulated platform, and somebody there."""

    name: str
    simulator: Any
    operator: Any
    url: str
    secrets: tuple[str, ...]
    chat: Callable[[], Any]
    """The private chat."""

    def answers(self) -> tuple[str, ...]:
        """What the bot wrote in private."""
        return tuple(self.simulator.people.answers(self.chat()))


def telegram() -> Walker:
    """Telegram with somebody."""
    sim = TelegramSimulator()
    sim.__enter__()
    operator = TelegramOperator(sim)
    return Walker("telegram", sim, operator, sim.api_url, (sim.token,), lambda: operator._me.id)


def slack() -> Walker:
    """Slack with somebody."""
    sim = SlackSimulator()
    sim.__enter__()
    operator = SlackOperator(sim)
    url = str(operator.settings["api_url"]).removesuffix("/api/")
    secrets = (str(operator.settings["bot_token"]), str(operator.settings["app_token"]))
    return Walker("slack", sim, operator, url, secrets, lambda: operator._me.dm)


def feishu() -> Walker:
    """Feishu with somebody, who scans."""
    sim = FeishuSimulator()
    sim.__enter__()
    operator = FeishuOperator(sim)
    return Walker("feishu", sim, operator, sim.url, (), lambda: operator._me.chat)


def dingtalk() -> Walker:
    """DingTalk with somebody, who scans."""
    sim = DingTalkSimulator()
    sim.__enter__()
    operator = DingTalkOperator(sim)
    return Walker("dingtalk", sim, operator, sim.url, (), lambda: operator._me.id)


WALKERS = {"telegram": telegram, "slack": slack, "feishu": feishu, "dingtalk": dingtalk}


@dataclass(frozen=True)
class InitFigures:
    """What a walk took, from the command to the bot's answer."""

    seconds: float
    keystrokes: int
    shown: str


def walk(walker: Walker, folder: Path) -> InitFigures:
    """Go from an empty folder to an answer of the bot."""
    began, line = time.monotonic(), ("init", "--server", walker.url)
    with TypedTerminal(folder, line) as terminal:
        number = terminal.wait_for(rf"(\d)\. {walker.name} ")[1]
        terminal.answer("no more: ", number)
        if walker.secrets:
            for secret in walker.secrets:
                terminal.answer(r"typ\w*\): ", secret, pasted=True)
        else:
            terminal.answer(r"Enter: 1\): ")
            address = terminal.wait_for(r"(http://\S+)\n")[1]
            terminal.wait_for("Waiting for")
            scan_address(walker, address)
        terminal.answer("no more: ")
        terminal.answer(r"Enter: 1\): ")
        terminal.answer("by writing to the bot")
        terminal.wait_for("Waiting for your message")
        walker.operator.say("hello")
        terminal.answer("Is that you")
        terminal.answer("Write this")
        terminal.answer("Start Parley now")
        terminal.wait_for("Open http")
        until = time.monotonic() + patience(60)
        while not any("demonstration" in each for each in walker.answers()):
            assert time.monotonic() < until, terminal.shown
            time.sleep(_LOOK)
        return InitFigures(time.monotonic() - began, terminal.keystrokes, terminal.shown)


def scan_address(walker: Walker, address: str) -> None:
    """Open the address of a QR code on the phone of whoever is there."""
    me = walker.operator._me
    walker.simulator.scanning.scan(address, getattr(me, "open_id", None) or me.id)


def main() -> None:
    """Print a line for each platform."""
    print("platform  seconds  keystrokes")
    for name, make in WALKERS.items():
        walker = make()
        try:
            with tempfile.TemporaryDirectory() as folder:
                figures = walk(walker, Path(folder))
        finally:
            walker.simulator.__exit__(None, None, None)
        print(f"{name:9} {figures.seconds:7.1f}  {figures.keystrokes:10}")


if __name__ == "__main__":
    main()
