"""The tools of `requirements/deploy.txt`, in an environment of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.machine import patience

Tool = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tool() -> Tool:
    """Call a program of the environment; returns what became of it."""
    programs = Path(os.environ.get("PARLEY_DEPLOY_VENV", ROOT / ".venv-deploy")) / "bin"
    assert programs.exists(), "make it with: make deploy"

    def call(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [programs / program, *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=patience(60),
        )

    return call
