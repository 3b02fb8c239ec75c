"""The parts come together, and go apart in order."""

import asyncio
import logging
import socket

import httpx
import pytest

from parley.app.composition.build import build_parley
from parley.app.settings.load import read_settings
from parley.app.storage.secret_files import auth_headers
from parley.core.model.errors import ConfigError, StoreUnavailable
from tests.kit.machine import patience
from tests.kit.waiting import until

# Nobody answers there: Parley starts all the same.
AWAY = "agent: {url: 'http://127.0.0.1:9'}\n"


def settings(folder, port=0):
    return read_settings(f"{AWAY}console: {{port: {port}}}", "config.yaml", {}, folder)


async def test_it_serves_until_it_is_stopped(tmp_path):
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    async with build_parley(settings(tmp_path)) as parley:
        running = asyncio.create_task(parley.run(stop, address.set_result))
        async with httpx.AsyncClient(base_url=await address, trust_env=False, timeout=patience(20)) as http:
            assert (await http.get("/livez")).status_code == 200
            assert (await http.get("/api/chat/hello")).status_code == 401
            headers = auth_headers(settings(tmp_path))
            assert (await http.get("/api/chat/hello", headers=headers)).status_code == 200
            stop.set()
            await running
            with pytest.raises(httpx.TransportError):
                await http.get("/livez")


async def test_a_start_says_what_the_kernel_keeps_from_the_readers_of_files(tmp_path, caplog):
    caplog.set_level(logging.INFO, "parley.agent.files.reader")
    stop = asyncio.Event()
    async with build_parley(settings(tmp_path)) as parley:
        running = asyncio.create_task(parley.run(stop, lambda url: None))
        await until(lambda: "Files that people send are read by" in caplog.text, "it says what holds")
        stop.set()
        await running
    assert len([record for record in caplog.records if record.name == "parley.agent.files.reader"]) == 1


async def test_a_port_in_use_is_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with build_parley(settings(tmp_path, port)) as parley:
            with pytest.raises(ConfigError, match=f"^console.port: {port} is in use"):
                await parley.run(asyncio.Event(), lambda url: None)


async def test_a_second_one_on_the_same_data_is_refused(tmp_path):
    async with build_parley(settings(tmp_path)):
        with pytest.raises(StoreUnavailable, match="already running"):
            async with build_parley(settings(tmp_path)):
                pass
