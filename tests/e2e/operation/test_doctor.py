"""`parley doctor` beside a Parley that runs: it asks that process, and disturbs nobody."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.telegram import TelegramSimulator
from parley.store.sqlite.database.connection import SqliteLocation, open_writer, prepare
from tests.kit.product.process import PATIENCE, Process, command, environment, parley
from tests.kit.small_disk import WARNING, namespace
from tests.kit.waiting import until

GRAPH = """
import logging
from langgraph.graph import START, MessagesState, StateGraph

class PlantedError(Exception):
    pass

def planted_node(state: MessagesState):
    said = state["messages"][-1].text
    logging.getLogger("parley.planted").error("planted by a graph: %s", said)
    if "fail" in said:
        raise PlantedError(f"planted in a traceback: {said}")
    return {"messages": [("assistant", f"You said: {said}")]}

graph = StateGraph(MessagesState).add_node(planted_node).add_edge(START, "planted_node").compile()
"""
"""Everything in it is somebody's: names of files, nodes and errors, words in logs and tracebacks."""

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]
NAMESPACE = namespace()
mounts = pytest.mark.skipif(not NAMESPACE, reason=WARNING)
MOUNT = 'mount -t tmpfs -o size=2m parley "$0"; cp "$0.before/"* "$0"'
FULL = f'{MOUNT}; dd if=/dev/zero of="$0/ballast" bs=4096 2>&1; exec "$@"'
READ_ONLY = f'{MOUNT}; mount -o remount,ro "$0"; exec "$@"'


def read_bundle(path: Path) -> dict[str, str]:
    """The files of a bundle by their names."""
    with tarfile.open(path) as archive:
        files = {name: archive.extractfile(name) for name in archive.getnames()}
        return {name.rpartition("/")[2]: file.read().decode() for name, file in files.items() if file}


async def test_doctor_asks_a_running_parley_and_leaves_it_its_updates(tmp_path: Path) -> None:
    with TelegramSimulator() as telegram:
        people, alice = telegram.people, telegram.people.add_person("Alice Planted")
        section = {"bot_token": telegram.token, "api_url": telegram.api_url, "allowed_users": [alice.id]}
        (tmp_path / "planted_module.py").write_text(GRAPH)
        config = {
            "console": {"port": free_port()},
            "channels": {"telegram": section},
            "agent": {"graphs": {"agent": "planted_module.py:graph"}},
        }
        process = Process(tmp_path, config, variables={"PLANTED_NAME": "planted", "MY_TOKEN": "planted-too"})
        process.start()
        try:
            process.wait_until_ready()
            people.say(alice.id, alice.id, "my planted secret word")
            await until(lambda: people.answers(alice.id), "the bot answered")
            people.say(alice.id, alice.id, "please fail over my planted word")
            await until(lambda: "PlantedError" in process.log, "the run failed")
            await until(lambda: len(people.answers(alice.id)) > 1, "it said so")
            asked = ("doctor", "--json", "--bundle", "support.tar.gz")
            found = await asyncio.to_thread(parley, tmp_path, *asked)
            before = len(people.answers(alice.id))
            people.say(alice.id, alice.id, "are you still there?")
            await until(lambda: len(people.answers(alice.id)) > before, "it still polls")
        finally:
            process.terminate()
        assert "Conflict" not in process.log
    report = json.loads(found.stdout)
    checks = {each["name"]: each for each in report["checks"]}
    assert (found.returncode, report["outcome"]) == (0, "good"), found.stdout
    assert "the running Parley says: up" in checks["channels.telegram.connection"]["text"]
    assert checks["store.write"]["text"] == "the running Parley writes to it"
    assert checks["page.port"]["text"] == "Parley is running there already"
    contents = read_bundle(tmp_path / "support.tar.gz")
    for content in contents.values():
        for planted in ("planted", "alice", telegram.token, str(tmp_path), "please fail"):
            assert planted.lower() not in content.lower()
        assert not re.search(rf"\b{alice.id}\b", content)  # a long number may have its digits in it
    assert json.loads(contents["health.json"])["ready"] is True
    assert json.loads(contents["store.json"])["documents"]["thread"] >= 1
    assert any(sample["name"] == "parley_up" for sample in json.loads(contents["metrics.json"]))
    assert "telegram: listening as @%s" in contents["log.jsonl"]


def test_settings_that_cannot_be_used_end_with_2_and_json(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("agent: {mode: fast}\n")
    found = parley(tmp_path, "doctor", "--json")
    assert found.returncode == 2
    report = json.loads(found.stdout)
    assert report["outcome"] == "unusable"
    assert "agent.mode" in report["checks"][0]["text"]


def examine(folder: Path, disk: str, *, kept: bool) -> dict[str, Any]:
    """What is found with `data_dir` on such a disk, where a database is `kept` already or not; by name."""
    data, before = folder / "data", folder / "data.before"
    for each in (data, before):
        each.mkdir(mode=0o700)
    (before / "note").write_text("what was there")
    if kept:
        location = SqliteLocation(before / "parley.db", 1.0, 0)
        prepare(location)
        open_writer(location).close()
    config = {"data_dir": str(data), "console": {"port": 0}, "memory": {"enabled": False}}
    (folder / "config.yaml").write_text(json.dumps(config))
    done = subprocess.run(
        [*NAMESPACE, "sh", "-c", disk, str(data), *command("doctor", "--json")],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert report["outcome"] == "findings"
    return {each["name"]: each for each in report["checks"]}


@mounts
@pytest.mark.parametrize("kept", [False, True])
def test_a_full_disk_is_named_with_its_remedy(tmp_path: Path, *, kept: bool) -> None:
    found = examine(tmp_path, FULL, kept=kept)
    for name, words in (("machine.disk", "0 MB are free"), ("store.write", "the disk is full")):
        assert (found[name]["status"], found[name]["place"]) == ("failed", "data_dir")
        assert words in found[name]["text"]
        assert "make room" in found[name]["remedy"]


@mounts
@pytest.mark.parametrize("kept", [False, True])
def test_a_read_only_data_folder_is_named_with_its_remedy(tmp_path: Path, *, kept: bool) -> None:
    found = examine(tmp_path, READ_ONLY, kept=kept)["store.write"]
    assert (found["status"], found["place"]) == ("failed", "data_dir")
    assert "the database is read-only" in found["text"]
    assert "let this user write to the file and its folder" in found["remedy"]
