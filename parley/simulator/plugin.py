"""A pytest plugin: your own agent in chat apps, without an account. Switch it on in your `conftest.py` with
`pytest_plugins = ["parley.simulator.plugin"]`; docs/simulators.md has a whole example.

Fixtures: `simulator_factory`, one `<platform>_simulator` for each platform, and `parley_factory`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from parley.simulator.registry import platforms, simulator_class

SimulatorFactory = Callable[..., Any]

_ADDRESS = re.compile(r"(?:Open |health is at )(http://[^\s/]+)")
# Far longer than a start takes on a busy machine: one that fails ends at once, and is not waited for.
_PATIENCE = 300.0
_GRACE = 30.0
_LOOK = 0.05


@dataclass(frozen=True)
class RunningParley:
    """A Parley process: its web address, its folder with `config.yaml`, `data` and `parley.log`.

    `token` lets a program in, as `Authorization: Bearer TOKEN`.
    """

    url: str
    folder: Path
    token: str = field(repr=False)

    @property
    def log(self) -> str:
        """Return what it has logged so far."""
        return (self.folder / "parley.log").read_text("utf-8", errors="replace")


ParleyFactory = Callable[..., RunningParley]


@pytest.fixture
def simulator_factory() -> Iterator[SimulatorFactory]:
    """Start a platform, `simulator_factory("slack", **options)`, that ends with the test.

    Options are those of the platform's simulator class. Raises LookupError for an unknown platform.
    """
    with ExitStack() as stack:
        yield lambda platform, **options: stack.enter_context(simulator_class(platform)(**options))


@pytest.fixture
def parley_factory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ParleyFactory]:
    """Start a Parley of its own, `parley_factory(channels={...}, agent={...})`, that ends with the test.

    The arguments are the sections of `config.yaml`; what is left out has its default, and the web console
    takes a free port. Returns once every channel is connected. Raises RuntimeError with the log when Parley
    does not come up.
    """
    with ExitStack() as stack:

        def start(**sections: Mapping[str, object]) -> RunningParley:
            return stack.enter_context(_running(tmp_path_factory.mktemp("parley"), sections))

        yield start


def _simulator_fixture(platform: str) -> object:
    @pytest.fixture(name=f"{platform}_simulator")
    def simulator(simulator_factory: SimulatorFactory) -> Any:  # noqa: ANN401 - differs by platform
        return simulator_factory(platform)

    simulator.__doc__ = f"A simulated {platform} that ends with the test."
    return simulator


globals().update({f"{platform}_simulator": _simulator_fixture(platform) for platform in platforms()})


@contextmanager
def _running(folder: Path, sections: Mapping[str, Mapping[str, object]]) -> Iterator[RunningParley]:
    # An answer is what the agent said: no notice of memory stands below the first one.
    memory = {"first_use_notice": False, **sections.get("memory", {})}
    # JSON is YAML too.
    config = json.dumps({"console": {"port": 0}, **sections, "memory": memory})
    (folder / "config.yaml").write_text(config, "utf-8")
    # Graphs named `module:name` are found as the tests find them.
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONUNBUFFERED": "1",
    }
    with (folder / "parley.log").open("wb") as log, (folder / "printed").open("wb") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "parley", "run"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=log,
        )
    try:
        yield _until_up(process, folder, str(sections.get("console", {}).get("token", "")))
    finally:
        process.terminate()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until_up(process: subprocess.Popen[bytes], folder: Path, chosen: str) -> RunningParley:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        found = _ADDRESS.search((folder / "printed").read_text("utf-8", errors="replace"))
        if found and _is_ready(found[1], token := chosen or (folder / "data" / "token").read_text().strip()):
            return RunningParley(found[1], folder, token)
        time.sleep(_LOOK)
    log = (folder / "parley.log").read_text("utf-8", errors="replace")
    raise RuntimeError(f"Parley did not come up in {folder}:\n{log[-4000:]}")


def _is_ready(url: str, token: str) -> bool:
    """Return whether every part is up."""
    request = urllib.request.Request(  # noqa: S310 - loopback
        f"{url}/api/health", headers={"authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_GRACE) as answer:  # noqa: S310 - loopback
            parts = json.load(answer)["parts"]
    except (urllib.error.URLError, OSError):
        return False
    return all(part["health"] == "up" for part in parts)
