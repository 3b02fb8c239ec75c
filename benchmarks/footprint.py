"""Memory and start-up time of a whole Parley with web and Telegram, and what its imports cost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.kit.child_process import ChildFailed, agent_server, environment, started
from benchmarks.kit.plan import Plan
from benchmarks.kit.stats import Spread, cpu_seconds_of, rss_mb
from benchmarks.kit.tables import Table

_SETTLED = 1.5
_IMPORTS = """
import parley.app.cli.service.run, parley.channels.web.channel
from parley.app.process.import_blocker import UNNEEDED_PACKAGES, block_imports
with block_imports(UNNEEDED_PACKAGES):
    import parley.app.composition.build
from parley.channels.telegram.config import Config
with block_imports(Config.spares):
    import parley.channels.telegram.channel
"""
_EMBEDDED = "embedded"
_Channels: TypeAlias = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Start:
    """One start: seconds, and CPU seconds, until the page's address is printed; MB resident soon after."""

    seconds: float
    cpu: float
    rss: float


def run(plan: Plan) -> Iterator[Table]:
    """Two tables."""
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        yield _starts(plan, Path(folder))
    yield _imports()


def _starts(plan: Plan, folder: Path) -> Table:
    with agent_server() as (agent, _), started("-m", "parley.simulator", "telegram") as simulator:
        telegram = _telegram(simulator)
        both: _Channels = {"web": {}, "telegram": telegram}
        kinds: dict[str, tuple[str, _Channels]] = {
            "web + Telegram": (agent, both),
            "web + Telegram + embedded agent": (_EMBEDDED, both),
        }
        rows = [_row("Python alone", [_python_alone() for _ in range(plan.starts)])]
        for name, (url, channels) in kinds.items():
            starts = [_start(folder, url, channels) for _ in range(plan.starts + 1)]
            rows.append(_row(name, starts[1:]))
            plan.say(f"starts, {name}")
    columns = ("process", "start s", "of it CPU s", "RSS MB")
    note = f"RSS {_SETTLED:g} s after the start, before any chat. The byte code had been compiled."
    return Table("footprint", "Start-up and memory", columns, tuple(rows), note)


def _row(name: str, starts: list[Start]) -> tuple[str, ...]:
    seconds, cpu = Spread.of(s.seconds for s in starts), Spread.of(s.cpu for s in starts)
    return name, seconds.show(), cpu.show(), Spread.of(s.rss for s in starts).show(0)


def _telegram(simulator: subprocess.Popen[str]) -> dict[str, object]:
    assert simulator.stdout is not None
    said = ""
    while "Ctrl-C" not in said:
        line = simulator.stdout.readline()
        if not line:
            raise ChildFailed("the Telegram simulator did not start")
        said += line
    token, url = re.search(r'bot_token: "(.+)"', said), re.search(r"api_url: (\S+)", said)
    assert token
    assert url
    return {"bot_token": token[1], "api_url": url[1], "allowed_users": ["*"]}


def _python_alone() -> Start:
    began = time.perf_counter()
    with started("-c", "import time; print(1, flush=True); time.sleep(60)") as process:
        assert process.stdout is not None
        process.stdout.readline()
        return Start(time.perf_counter() - began, cpu_seconds_of(process.pid), rss_mb(process.pid))


def _start(folder: Path, agent: str, channels: _Channels) -> Start:
    with tempfile.TemporaryDirectory(dir=folder) as home:
        config = Path(home) / "config.yaml"
        # JSON is YAML.
        settings = {"agent": {"url": agent}, "channels": channels, "console": {"port": 0}, "data_dir": home}
        config.write_text(json.dumps(settings), encoding="utf-8")
        began = time.perf_counter()
        command = [sys.executable, "-m", "parley", "run", "--config", str(config)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        try:
            seconds = _until_open(process, began)
            cpu = cpu_seconds_of(process.pid)
            time.sleep(_SETTLED)
            return Start(seconds, cpu, rss_mb(process.pid))
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _until_open(process: subprocess.Popen[str], began: float) -> float:
    assert process.stdout is not None
    assert process.stderr is not None
    for line in process.stdout:
        if line.startswith("Open "):
            return time.perf_counter() - began
    raise ChildFailed(process.stderr.read()[-2000:])


def _imports() -> Table:
    """Where the time of importing goes, by package, each without those that it imports."""
    command = [sys.executable, "-X", "importtime", "-c", _IMPORTS]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True, timeout=60)
    spent: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for line in ended.stderr.splitlines():
        if found := re.match(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", line):
            package = _package(found[2])
            spent[package] += int(found[1])
            modules[package] += 1
    total = sum(spent.values())
    rows = [(name, f"{us / 1000:.0f}", str(modules[name])) for name, us in spent.most_common(12)]
    rows.append(("all", f"{total / 1000:.0f}", str(modules.total())))
    columns = ("package", "ms", "modules")
    note = "Measured with `-X importtime`, which itself adds about a third."
    return Table("imports", "What web + Telegram import", columns, tuple(rows), note)


def _package(module: str) -> str:
    name = module.partition(".")[0]
    if name in sys.stdlib_module_names:
        return "standard library"
    return "Parley" if name == "parley" else name
