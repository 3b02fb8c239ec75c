"""A real `parley run` on a store: its start, its rest, and what an operator asks of it."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.kit.arrivals import person_name
from benchmarks.kit.child_process import ChildFailed, environment
from benchmarks.kit.stats import cpu_seconds_of, rss_mb

LONGEST = 60.0
"""Seconds after which nobody waits any more."""
_TOKEN = "/?token="


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds, infinite where nobody waited for the end, and CPU seconds of Parley and its database."""

    seconds: float
    cpu: float


@dataclass(frozen=True, slots=True)
class ProductCosts:
    """What a process on a store costs; `idle` is the share of a core without anything to do."""

    start: Cost
    idle: float
    rss: float
    asked: Mapping[str, Cost]


def measure_product(
    folder: Path,
    store: str,
    agent: str,
    people: int,
    idle_seconds: float,
    database_cpu: Callable[[], float] = lambda: 0.0,
) -> ProductCosts:
    """Start a Parley in an empty folder on the store at this address, ask it, and stop it.

    The last person but some is erased. Raises ChildFailed, httpx.HTTPError.
    """
    config = folder / "config.yaml"
    settings = {
        "agent": {"url": agent},
        "channels": {"web": {}},
        "console": {"port": 0},
        "data_dir": str(folder),
        "store": {"url": store},
        "memory": {"storage": "store"},
    }
    config.write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML
    with _running(config) as (process, address, seconds):

        def cpu() -> float:
            return cpu_seconds_of(process.pid) + database_cpu()

        start = Cost(seconds, cpu_seconds_of(process.pid))
        time.sleep(1)
        before = cpu()
        time.sleep(idle_seconds)
        idle, rss = (cpu() - before) / idle_seconds, rss_mb(process.pid)
        asked = {name: _timed(ask, cpu) for name, ask in _requests(address, people).items()}
    asked["`parley threads`, twenty lines"] = _command(config, database_cpu, "threads", "--limit", "20")
    return ProductCosts(start, idle, rss, asked)


@contextmanager
def _running(config: Path) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """A process, its address with the token, and the seconds until it was open."""
    command = [sys.executable, "-m", "parley", "run", "--config", str(config)]
    began = time.perf_counter()
    with (config.parent / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment())
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Open "):
                yield process, line.split()[1], time.perf_counter() - began
                break
        else:
            raise ChildFailed((config.parent / "log").read_text()[-2000:])
    finally:
        process.terminate()
        try:
            process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _requests(address: str, people: int) -> Mapping[str, Callable[[], object]]:
    url, _, token = address.partition(_TOKEN)
    client = httpx.Client(
        base_url=url,
        headers={"authorization": f"Bearer {token}"} if token else {},
        timeout=LONGEST,
        trust_env=False,
    )
    shown, erased = f"null:{person_name(people // 2)}", f"null:{person_name(people - 50)}"

    def get(path: str, **query: str) -> httpx.Response:
        return client.get(path, params=query).raise_for_status()

    def export() -> None:
        size = len(get("/api/person/export", person=shown).content)
        if size < 1000:
            raise ChildFailed(f"the export has {size} bytes")

    def erase() -> None:
        body = {"person": erased, "accounts": [erased]}
        told = client.post("/api/person/erase", json=body).raise_for_status().json()
        if told["unfinished"] or not sum(told["done"].values()):
            raise ChildFailed(f"not everything was erased: {told}")

    return {
        "memory of one person": lambda: get("/api/memory", person=shown),
        "health of all memories": lambda: get("/api/memory/status", person=shown),
        "dead letters": lambda: get("/api/letters"),
        "export of one person": export,
        "erasure of one person": erase,
        "page of people with a memory": lambda: get("/api/memory/people"),
    }


def _timed(work: Callable[[], object], cpu: Callable[[], float]) -> Cost:
    before, began = cpu(), time.perf_counter()
    try:
        work()
        seconds = time.perf_counter() - began
    except httpx.TimeoutException:
        seconds = math.inf
    return Cost(seconds, cpu() - before)


def _command(config: Path, database_cpu: Callable[[], float], *words: str) -> Cost:
    """Run a command of `parley`."""

    def cpu() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime + database_cpu()

    command = [sys.executable, "-m", "parley", *words, "--config", str(config)]
    before, began = cpu(), time.perf_counter()
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=LONGEST, env=environment())
        seconds = time.perf_counter() - began
    except subprocess.TimeoutExpired:
        seconds = math.inf
    return Cost(seconds, cpu() - before)
