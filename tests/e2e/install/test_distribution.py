"""The distribution: built, installed into an empty environment, and run beside packages of other people."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from benchmarks.kit.free_ports import free_port
from tests.kit.checkout import ROOT, SHIPPED
from tests.kit.machine import patience

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(600)]

_SDIST = "from setuptools import build_meta; print(build_meta.build_sdist('dist'))"
_OURS = ("parley", "channels", "memory", "pyproject.toml", "README.md", "LICENSE")
_THEIRS = ("agent", "app", "bridge", "channels", "console", "memory", "simulator", "store")
"""Packages that a folder may have, and that were ours once."""


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and a folder of somebody's project."""

    environment: Path
    folder: Path
    wheel: Path

    def call(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the folder."""
        program = self.environment / "bin" / command[0]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            [program, *command[1:]],
            cwd=self.folder,
            env=clean,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=patience(300),
        )

    def install(self, *what: str) -> None:
        """Install with pip."""
        done = self.call("python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *what)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made out of the source distribution."""
    place = tmp_path_factory.mktemp("built")
    checkout, python = place / "checkout", place / "builder" / "bin" / "python"
    checkout.mkdir()
    for name in _OURS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, checkout / name, symlinks=True)
        else:
            shutil.copy(ROOT / name, checkout / name)
    venv.create(place / "builder", with_pip=True)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    _run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *needed, "wheel")
    source = checkout / "dist" / _run(python, "-c", _SDIST, folder=checkout).splitlines()[-1]
    wheels = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(place))
    _run(python, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", *wheels, str(source))
    with tarfile.open(source) as archive:
        assert not [each.name for each in archive if each.issym() or each.islnk()]
    return next(place.glob("*.whl"))


def _run(program: Path, *arguments: str, folder: Path | None = None) -> str:
    command = [str(program), *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=patience(300)
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The base, where every name that was ours once is that of a package which cannot be imported."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place / "venv", with_pip=True)
    for name in _THEIRS:
        (place / "project" / name).mkdir(parents=True)
        (place / "project" / name / "__init__.py").write_text(f"raise RuntimeError('{name} is not yours')\n")
    made = Installed(place / "venv", place / "project", wheel)
    made.install(str(wheel), "channels")  # Django's
    return made


def wait_until(condition: Callable[[], bool]) -> None:
    """Ask again and again. Raises AssertionError when it takes too long."""
    deadline = time.monotonic() + patience(60)
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_has_one_name_and_everything_that_it_needs(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = next(name for name in names if name.endswith("/METADATA"))
        described = archive.read(metadata).decode()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"parley", "parley_bridge"}
    assert "Name: parley-bridge" in described
    for needed in (
        "py.typed",
        "app/settings/default.yaml",
        "channels/web/page/index.html",
        "channels/slack/api.py",
    ):
        assert f"parley/{needed}" in names
    data = {
        "memory/data": ROOT / "memory" / "data",
        "memory/prompts": ROOT / "memory" / "prompts",
        "simulator/limits": ROOT / "parley" / "simulator" / "limits",
    }
    for place, folder in data.items():
        files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        assert {f"parley/{place}/{path.as_posix()}" for path in files} <= names


def test_it_writes_its_configuration_and_finds_it_right(installed: Installed) -> None:
    printed = installed.call("parley", "check", "--print-config")
    assert printed.stdout == SHIPPED.read_text("utf-8")
    (installed.folder / "config.yaml").write_text(
        printed.stdout.replace("url: embedded ", "url: http://127.0.0.1:1 ").replace(
            "port: 8765 ", "port: 0 "
        )
    )
    checked = installed.call("parley", "check")
    assert "this would start" in checked.stdout, checked.stderr
    assert checked.stdout.endswith("\n1 mistake.\n"), checked.stdout
    assert "agent.url: " in checked.stdout
    assert "Traceback" not in checked.stderr


@pytest.mark.parametrize(
    ("config", "extra"),
    [
        ("agent: {url: 'http://127.0.0.1:1'}\nchannels: {telegram: {bot_token: '1:a'}}", "telegram"),
        ("agent: {url: 'http://127.0.0.1:1'}\nstore: {url: 'postgresql://127.0.0.1:1/x'}", "postgres"),
    ],
)
def test_a_missing_extra_is_named_with_the_command(installed: Installed, config: str, extra: str) -> None:
    (installed.folder / "config.yaml").write_text(config)
    ended = installed.call("parley", "run")
    assert ended.returncode == 2
    assert f"is not installed; run: pip install 'parley-bridge[{extra}]'" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("program", ["parley", "parley-bridge"])
def test_alone_in_an_empty_folder_it_answers_without_any_account(
    installed: Installed, tmp_path: Path, program: str
) -> None:
    """Start it by its name alone; what it keeps is in its user's folder, and a second terminal finds it."""
    here, mine = tmp_path / "here", tmp_path / "mine"
    here.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean |= {"XDG_DATA_HOME": str(mine), "PYTHONUNBUFFERED": "1"}
    (mine / "parley").mkdir(parents=True)
    (mine / "parley" / "config.yaml").write_text(f"console: {{port: {free_port()}}}\n")
    command = [str(installed.environment / "bin" / program)]
    with (tmp_path / "log").open("w+") as log:
        running = subprocess.Popen(command, cwd=here, env=clean, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until(lambda: "Open http://127.0.0.1:" in (tmp_path / "log").read_text())
            asked = subprocess.run(
                [*command, "chat", "hello"], cwd=here, env=clean, capture_output=True, text=True, check=False
            )
        finally:
            running.terminate()
            running.wait(patience(60))
    assert "demonstration" in asked.stdout, asked.stderr
    said = (tmp_path / "log").read_text()
    assert f"  {mine / 'parley' / 'data'}\n" in said
    assert "In a terminal: parley chat" in said
    assert not list(here.iterdir())


def test_its_watchdog_is_there_too(installed: Installed) -> None:
    (installed.folder / "config.yaml").write_text("agent: {mode: fast}\n")
    ended = installed.call("parley", "run", "--watched")
    assert ended.returncode == 2
    assert "Not started again: what stands above has to be mended first." in ended.stderr


@pytest.fixture(scope="module")
def wheels(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for a machine without a network, made by the script that documents name."""
    folder = tmp_path_factory.mktemp("offline") / "offline"
    command = ["sh", str(ROOT / "scripts" / "offline.sh"), str(folder)]
    variables = os.environ | {"PYTHON": sys.executable}
    made = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert (folder / wheel.name).exists()
    return folder


@pytest.mark.long
def test_without_a_network_it_comes_out_of_a_folder_of_wheels(wheels: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    offline = Installed(tmp_path / "venv", tmp_path, wheels)
    several = "parley-bridge[telegram,slack,documents,postgres]"
    offline.install("--no-index", "--find-links", str(wheels), several)
    (tmp_path / "config.yaml").write_text("console: {port: 0}\n")
    chatted = offline.call("parley", "chat", "hello")
    assert "demonstration" in chatted.stdout, chatted.stderr


def test_uvx_starts_it_by_the_name_of_the_package(wheels: Path, tmp_path: Path) -> None:
    """Use the uv that the checkout locks, out of the same folder; hints are for who has no `parley`."""
    uv = tmp_path / "uv" / "bin" / "uv"
    locked = ("--require-hashes", "--target", str(uv.parents[1]), "-r", str(ROOT / "requirements" / "uv.txt"))
    _run(Path(sys.executable), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *locked)
    offline = ("--offline", "--no-index", "--find-links", str(wheels), "--cache-dir", str(tmp_path / "cache"))
    uvx = (str(uv), "tool", "run", *offline, "--python", sys.executable, "parley-bridge")
    (tmp_path / "config.yaml").write_text("console: {port: 0}\n")
    assert "demonstration" in _run(Path(uvx[0]), *uvx[1:], "chat", "hello", folder=tmp_path)
    (tmp_path / "config.yaml").write_text("memory: {embedding: local}\n")
    refused = subprocess.run([*uvx, "run"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "is not installed; run: uvx 'parley-bridge[embedding]'" in refused.stderr
