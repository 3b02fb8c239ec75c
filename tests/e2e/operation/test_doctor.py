"""`parley doctor` beside a Parley that runs: it asks that process, and disturbs nobody."""

from __future__ import annotations

import asyncio
import json
import tarfile
from pathlib import Path

import pytest

from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.process import Process, free_port, parley
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
            command = ("doctor", "--json", "--bundle", "support.tar.gz")
            found = await asyncio.to_thread(parley, tmp_path, *command)
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
        for planted in ("planted", "alice", telegram.token, str(alice.id), str(tmp_path), "please fail"):
            assert planted.lower() not in content.lower()
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
