"""scripts/install.py: uv is told what pip is told, and pip installs where uv cannot."""

from __future__ import annotations

import hashlib
import os
import runpy
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.machine import patience

SCRIPT = ROOT / "scripts" / "install.py"


def test_uv_looks_where_pip_is_told_to_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://index.invalid/a\nfind-links = /nowhere\n"
        "[install]\nindex-url = https://index.invalid/b\nextra-index-url =\n    file:///one\n    file:///two\n"
    )
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_FIND_LINKS", "/packages")
    first, told = runpy.run_path(str(SCRIPT))["_environments"]()
    assert first == {name: value for name, value in told.items() if name != "UV_INDEX"}
    assert told["UV_INDEX"] == "file:///one file:///two"
    monkeypatch.setenv("UV_INDEX", "file:///mine")
    (told,) = runpy.run_path(str(SCRIPT))["_environments"]()
    assert told["UV_DEFAULT_INDEX"] == "https://index.invalid/b"
    assert told["UV_FIND_LINKS"] == "/packages"
    assert told["UV_INDEX"] == "file:///mine"  # whoever sets uv up knows what they want


@pytest.mark.journeys
def test_pip_installs_where_uv_cannot_be_had(tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny.py", "SIZE = 1\n")
        file.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        file.writestr(
            "tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr("tiny-1.dist-info/RECORD", "")
    lock = tmp_path / "lock.txt"
    lock.write_text(f"tiny==1 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    venv.create(tmp_path / "environment", with_pip=True)
    python = tmp_path / "environment" / "bin" / "python"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    alone = clean | {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    command = [python, SCRIPT, lock]
    done = subprocess.run(
        command, env=alone, capture_output=True, text=True, timeout=patience(60), check=False
    )
    assert done.returncode == 0, done.stderr
    seen = [str(python), "-c", "import tiny; print(tiny.SIZE)"]
    assert subprocess.run(seen, capture_output=True, text=True, check=True).stdout == "1\n"
    lock.write_text("tiny==2 --hash=sha256:" + "0" * 64 + "\n")
    assert subprocess.run(command, env=alone, capture_output=True, check=False).returncode != 0
