"""`parley chat` while another process has the data, and does not answer: it waits for a while."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from parley.app.storage.paths import DATABASE
from parley.store.sqlite.database.file_lock import lock_database
from tests.kit.product.process import PATIENCE, command, environment, write_config
from tests.kit.waiting import until

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

WAITS = "Another Parley has the data and does not answer yet; waiting for it ..."


@pytest.mark.parametrize("goes", [True, False])
def test_it_waits_for_one_that_starts_or_ends(tmp_path: Path, goes: bool) -> None:
    write_config(tmp_path, {"console": {"port": free_port()}})
    (tmp_path / "data").mkdir()
    errors = tmp_path / "errors"
    with lock_database(tmp_path / "data" / DATABASE, exclusive=True), errors.open("wb") as file:
        process = subprocess.Popen(
            command("chat", "hello"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=file
        )
        asyncio.run(until(lambda: WAITS in errors.read_text("utf-8"), "it waits", 40.0))
        if not goes:
            process.wait(PATIENCE)
    out, _ = process.communicate(timeout=PATIENCE)
    told = errors.read_text("utf-8").splitlines()
    assert told[0] == WAITS
    if goes:
        assert (process.returncode, told[1:]) == (0, [])
        assert "You said: hello" in out.decode()
    else:
        assert (process.returncode, out) == (1, b"")
        (refusal,) = told[1:]
        assert refusal.startswith("parley: Parley is already running here (process ")


def test_it_says_where_the_other_ones_address_cannot_be_known(tmp_path: Path) -> None:
    write_config(tmp_path, {"console": {"port": 0}})
    (tmp_path / "data").mkdir()
    with lock_database(tmp_path / "data" / DATABASE, exclusive=True):
        done = subprocess.run(
            command("chat", "hello"), cwd=tmp_path, env=environment(), capture_output=True, check=False
        )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith("parley: another Parley has the data, and console.port is 0: ")
