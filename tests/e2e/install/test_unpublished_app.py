"""A DingTalk app without a published version: `check` and `doctor` name it beside the Parley that noticed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from parley.simulator.dingtalk import DingTalkSimulator
from tests.kit.product.process import Process, parley
from tests.kit.waiting import until

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]
WORDS = "connected, but nobody can be answered: messages come without senderStaffId"


async def test_the_running_parley_says_so_until_it_is_published(tmp_path: Path) -> None:
    with DingTalkSimulator() as dingtalk:
        people, alice = dingtalk.people, dingtalk.people.add_person("Alice")
        section = {
            "client_id": dingtalk.client_id,
            "client_secret": dingtalk.client_secret,
            "api_url": dingtalk.url,
            "oapi_url": dingtalk.url,
        }
        config = {"console": {"port": free_port()}, "channels": {"dingtalk": section}}
        process = Process(tmp_path, config)
        process.start()
        try:
            process.wait_until_ready()
            await until(lambda: dingtalk.connections, "it is connected")
            people.publish(False)
            people.say(alice.id, alice.id, "hello?")
            await until(lambda: people.answers(alice.id), "who wrote is told")
            checked = await asyncio.to_thread(parley, tmp_path, "check")
            examined = await asyncio.to_thread(parley, tmp_path, "doctor", "--json")
            people.publish(True)
            people.say(alice.id, alice.id, "hello!")
            await until(lambda: len(people.answers(alice.id)) > 1, "the agent answered")
            again = await asyncio.to_thread(parley, tmp_path, "check")
        finally:
            process.terminate()
    (line,) = [each for each in checked.stdout.splitlines() if WORDS in each]
    assert "channels.dingtalk: the running Parley says: " in line
    assert "publish one (developer console, version management)" in line
    assert checked.returncode == 1
    checks = {each["name"]: each for each in json.loads(examined.stdout)["checks"]}
    found = checks["channels.dingtalk.connection"]
    assert WORDS in found["text"]
    assert found["remedy"].startswith("publish one")
    assert examined.returncode != 0
    assert WORDS not in again.stdout
