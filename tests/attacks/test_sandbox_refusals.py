"""Where commands cannot be isolated they are refused, with the reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parley.server.sandbox.limits import CommandLimits, SandboxFailed
from parley.server.sandbox.trial import try_sandbox
from tests.kit.checkout import ROOT
from tests.kit.product.sandbox import skip_without_sandbox

pytestmark = pytest.mark.attacks

LIMITS = CommandLimits()


def test_private_folders_that_commands_could_read_are_refused() -> None:
    with pytest.raises(SandboxFailed, match="which commands can read"):
        try_sandbox(LIMITS, [Path("/usr/local/parley")])


def test_without_bubblewrap_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxFailed, match="install the package bubblewrap"):
        try_sandbox(LIMITS, ())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_it_works_for_a_user_without_rights() -> None:
    skip_without_sandbox()
    command = [
        sys.executable,
        "-c",
        f"from {try_sandbox.__module__} import *; print(try_sandbox(CommandLimits(), ()))",
    ]
    if not os.access(ROOT, os.R_OK) or ROOT.is_relative_to("/root"):
        pytest.skip("other users cannot read this checkout")
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.stdout.startswith("bubblewrap "), done.stderr
