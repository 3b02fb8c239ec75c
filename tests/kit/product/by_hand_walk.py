"""A platform set up by hand, as its document says: from the document's own lines to the bot's answer.

`python -m tests.kit.product.by_hand_walk` prints what each platform took.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.kit.free_ports import free_port
from parley.app.settings.channel_registry import channel_config
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.product.init_walk import WALKERS, Walker
from tests.kit.product.process import Process, parley

_YAML = re.compile(r"^ *```yaml\n(?P<text>.*?)^ *```", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"\b\d{3,}\b")
_OVER = re.compile("demonstration|/pair")
_LOOK = 0.02


@dataclass(frozen=True)
class ByHandFigures:
    """Lines that were put into files, commands that were called, and seconds from the first to the answer."""

    lines: int
    commands: int
    seconds: float


def documented_section(platform: str) -> dict[str, Any]:
    """The section for `config.yaml` that the document shows first."""
    found = _YAML.search((ROOT / "docs" / f"{platform}.md").read_text("utf-8"))
    assert found, platform
    section: dict[str, Any] = yaml.safe_load(found["text"])["channels"][platform]
    return section


def walk_by_hand(walker: Walker, folder: Path) -> ByHandFigures:
    """Go from an empty folder to an answer of the bot, without `parley init`."""
    began, given = time.monotonic(), walker.operator.settings
    keys = channel_config(walker.name)().credentials()
    section = documented_section(walker.name)
    elsewhere = channel_config(walker.name).at_server(walker.url)
    names = {key: str(section[key]).removeprefix("$") for key in keys}
    (folder / ".env").write_text("".join(f"{names[key]}={given[key]}\n" for key in keys))
    (folder / ".env").chmod(0o600)
    written = {"console": {"port": free_port()}, "channels": {walker.name: {**section, **elsewhere}}}
    process, lines, commands = Process(folder, written), len(keys) + len(section), 1
    (folder / "config.yaml").write_text(yaml.safe_dump(written))
    checked = parley(folder, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    process.start()
    process.wait_until_ready()
    commands += 1
    try:
        walker.operator.say("hello")
        answer = _answer(walker, process, 0)
        if "demonstration" not in answer:
            # It says who may not talk yet, and with which id.
            _let_in(process, walker.name, answer)
            lines, commands = lines + 1, commands + 1
            walker.operator.say("hello")
            answer = _answer(walker, process, 1)
        assert "demonstration" in answer, answer
        return ByHandFigures(lines, commands, time.monotonic() - began)
    finally:
        process.terminate()


def _let_in(process: Process, platform: str, answer: str) -> None:
    channels: Any = process.config["channels"]
    found = _ID.search(answer)
    assert found, answer
    section: Mapping[str, Any] = {**channels[platform], "allowed_users": [found[0]]}
    process.terminate()
    process.config = {**process.config, "channels": {platform: section}}
    process.start()
    process.wait_until_ready()


def _answer(walker: Walker, process: Process, before: int) -> str:
    until = time.monotonic() + patience(60)
    # An answer grows: it is over when it is the demonstration's, or says how to be let in.
    while len(found := walker.answers()) <= before or not _OVER.search(found[-1]):
        assert time.monotonic() < until, process.log[-3000:]
        time.sleep(_LOOK)
    return str(found[-1])


def main() -> None:
    """Print a line for each platform."""
    print("platform  lines  commands  seconds")
    for name, make in WALKERS.items():
        walker = make()
        try:
            with tempfile.TemporaryDirectory() as folder:
                figures = walk_by_hand(walker, Path(folder))
        finally:
            walker.simulator.__exit__(None, None, None)
        print(f"{name:9} {figures.lines:5}  {figures.commands:8}  {figures.seconds:7.1f}", flush=True)


if __name__ == "__main__":
    main()
