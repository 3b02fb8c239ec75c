"""Other processes: every measurement has one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from parley.core.model.types import Json


def environment() -> dict[str, str]:
    """Ours, but with byte code kept, as installed software has it, and away from the sources."""
    kept = Path(tempfile.gettempdir()) / f"parley-bench-pycache-{os.getuid()}"
    return {**os.environ, "PYTHONPYCACHEPREFIX": str(kept), "PYTHONDONTWRITEBYTECODE": ""}


class ChildFailed(Exception):
    """A measurement's process did not end well; the text is what it said."""


def measured(module: str, *arguments: str, timeout: float = 120.0) -> Mapping[str, Json]:
    """Run `python -m module` and return the JSON object on its last line. Raises ChildFailed."""
    command = [sys.executable, "-m", module, *arguments]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, check=False, env=environment()
        )
    except subprocess.TimeoutExpired as error:
        raise ChildFailed(f"{module} {' '.join(arguments)}: nothing within {timeout:g} s") from error
    lines = ended.stdout.splitlines()
    if ended.returncode or not lines:
        raise ChildFailed(f"{module} {' '.join(arguments)}: {ended.stderr[-2000:]}")
    result: dict[str, Json] = json.loads(lines[-1])
    return result


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process with a pipe from its standard output, ended on leaving."""
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, text=True, env=environment()
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def agent_server() -> Iterator[tuple[str, int]]:
    """The minimal agent server: its address and process id."""
    with started("-m", "benchmarks.kit.agent_server") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        if not url:
            raise ChildFailed("the agent server did not start")
        yield url, process.pid
