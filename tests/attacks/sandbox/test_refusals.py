"""Where commands cannot be isolated they are refused, with the reason and the remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.isolation.runc import Runc
from parley.server.sandbox.limits import CommandLimits, SandboxFailed
from parley.server.sandbox.trial import find_isolation
from tests.kit.checkout import ROOT
from tests.kit.product.sandbox import ISOLATIONS, find_only, link_programs, skip_without_sandbox

pytestmark = pytest.mark.attacks

LIMITS = CommandLimits()


def test_private_folders_that_commands_could_read_are_refused() -> None:
    with pytest.raises(SandboxFailed, match="which commands can read"):
        find_isolation(LIMITS, [Path("/usr/local/parley")])


def test_without_bubblewrap_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxFailed, match="install the package bubblewrap"):
        find_isolation(LIMITS, ())


def test_without_bubblewrap_a_container_of_runc_isolates_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without_sandbox(Runc())
    find_only(("runc", "setpriv"), tmp_path, monkeypatch)
    assert find_isolation(LIMITS, ()).version().startswith("runc 1.")


def test_what_a_killed_process_left_of_a_container_is_removed_once_no_command_can_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without_sandbox(Runc())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Runc().launch("true", LIMITS, 1_000):
        (bundle,) = tmp_path.iterdir()
        left, in_use, others = tmp_path / f"{bundle.name}x", tmp_path / f"{bundle.name}y", tmp_path / "others"
        for each in (left, others):
            shutil.copytree(bundle, each, symlinks=True)
            os.utime(each, (time.time() - 10_000,) * 2)
        shutil.copytree(bundle, in_use, symlinks=True)
    (tmp_path / f"{bundle.name}z").symlink_to(others)
    strangers = tmp_path / f"{bundle.name}s"
    if os.geteuid() == 0:
        shutil.copytree(others, strangers, symlinks=True)
        os.chown(strangers, 12_345, 12_345)
        os.utime(strangers, (time.time() - 10_000,) * 2)
    with Runc().launch("true", LIMITS, 1_000):
        assert strangers.exists() == (os.geteuid() == 0)
        assert not left.exists()
        assert in_use.exists()
        assert (others / "config.json").exists()


@pytest.mark.parametrize("isolation", ISOLATIONS, ids=lambda each: each.name)
def test_it_works_where_new_files_are_their_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: Isolation
) -> None:
    skip_without_sandbox(isolation)
    find_only((isolation.name, "setpriv"), tmp_path, monkeypatch)
    before = os.umask(0o077)  # as `parley run` does
    try:
        assert find_isolation(LIMITS, ()) == isolation
    finally:
        os.umask(before)


@pytest.mark.parametrize("isolation", ISOLATIONS, ids=lambda each: each.name)
def test_what_else_is_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: Isolation
) -> None:
    skip_without_sandbox(isolation)
    find_only([isolation.name], tmp_path, monkeypatch)
    with pytest.raises(SandboxFailed, match="setpriv is not installed; install the package util-linux"):
        find_isolation(LIMITS, ())


NO_NAMESPACES = """
import ctypes, os, subprocess, sys

def without_namespaces():
    # A user namespace of its own, with all users, in which nobody may make another one.
    if ctypes.CDLL(None).unshare(0x10000000):
        os._exit(9)
    os.write(unshared, b"x")
    os.read(mapped, 1)
    os.setgid(0)
    os.setuid(0)
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("0")
    os.execvp(sys.argv[1], sys.argv[1:])

seen, unshared = os.pipe()
mapped, mapping = os.pipe()
child = os.fork()
if child == 0:
    without_namespaces()
os.close(unshared)
if os.read(seen, 1):
    for kind in ("uid", "gid"):
        with open(f"/proc/{child}/{kind}_map", "w") as file:
            file.write("0 0 65536")
    os.write(mapping, b"x")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
TRIES = """
from parley.server.sandbox.trial import CommandLimits, SandboxFailed, find_isolation
try:
    print(find_isolation(CommandLimits(), ()).version())
except SandboxFailed as error:
    print("refused:", error)
"""
AS_USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("user", [(), AS_USER], ids=["root", "user"])
def test_without_user_namespaces_reason_and_remedy_are_told(user: tuple[str, ...]) -> None:
    if not os.access(ROOT, os.R_OK) or ROOT.is_relative_to("/root"):
        pytest.skip("other users cannot read this checkout")
    skip_without_sandbox()
    done = subprocess.run(
        [sys.executable, "-c", NO_NAMESPACES, *user, sys.executable, "-c", TRIES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    if done.returncode == 9:
        pytest.skip("no user namespace can be made here")
    assert done.stdout.startswith("refused: bwrap: "), done.stderr
    assert "namespace" in done.stdout
    assert done.stdout.count("; to allow it: sysctl user.max_user_namespaces=10000") == 1
    assert ("; runc run failed: " in done.stdout) == (shutil.which("runc") is not None)
    assert "(docs/built-in-agent.md#commands)" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("isolation", ISOLATIONS, ids=lambda each: each.name)
def test_it_works_for_a_user_without_rights(isolation: Isolation) -> None:
    skip_without_sandbox(isolation)
    if not os.access(ROOT, os.R_OK) or ROOT.is_relative_to("/root"):
        pytest.skip("other users cannot read this checkout")
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        link_programs((isolation.name, "setpriv"), folder)
        done = subprocess.run(
            [*AS_USER, sys.executable, "-c", TRIES],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": name},
        )
    assert done.stdout == f"{isolation.version()}\n", done.stderr
