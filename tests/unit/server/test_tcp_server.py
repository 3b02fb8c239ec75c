"""The server on TCP, and its graphs by path."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_client

from parley.console.http.options import HttpTimeouts
from parley.console.http.protocol import timed_http
from parley.core.model.errors import ConfigError
from parley.server.app import embedded_server
from parley.server.options import EmbeddedOptions
from parley.server.tcp_server import serve
from tests.kit.doubles.killable_server import KEY, STEPS, allow, server
from tests.kit.machine import patience


async def test_a_port_in_use_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"agent\.port: {port} on 127\.0\.0\.1 is in use"):
            await serve(EmbeddedOptions(tmp_path / "db", api_key=KEY), "127.0.0.1", port)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
async def test_there_is_no_server_without_a_key(tmp_path: Path, host: str) -> None:
    with pytest.raises(ConfigError, match=r"set agent\.api_key"):
        await serve(EmbeddedOptions(tmp_path / "db"), host, 0)


async def test_other_programs_of_this_machine_are_refused(tmp_path: Path) -> None:
    with server(tmp_path) as (url, _):
        async with httpx.AsyncClient(base_url=url, timeout=patience(20)) as http:
            assert (await http.get("/info")).status_code == 401
            assert (await http.get("/info", headers={"x-api-key": "wrong"})).status_code == 403
            assert (await http.get("/info", headers={"x-api-key": KEY})).status_code == 200


async def test_a_client_that_sends_nothing_holds_no_connection(tmp_path: Path) -> None:
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    options = EmbeddedOptions(tmp_path / "db", api_key=KEY)
    impatient = timed_http(HttpTimeouts(headers=0.05))
    serving = asyncio.create_task(serve(options, "127.0.0.1", 0, url.set_result, impatient))
    try:
        async with asyncio.timeout(patience(20)):
            for sent, answer in ((b"", b""), (b"GET /info HTTP/1.1\r\n", b"HTTP/1.1 408")):
                port = int((await url).rpartition(":")[2])
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(sent)
                assert (await reader.read())[:12] == answer
                writer.close()
    finally:
        serving.cancel()
        await asyncio.wait({serving})


FILE = """
from langgraph.graph import START, MessagesState, StateGraph
builder = StateGraph(MessagesState).add_node("n", lambda state: {}).add_edge(START, "n")
number = 3
"""


async def test_a_graph_is_found_by_file_or_module(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    paths = {"file": f"{tmp_path / 'mine.py'}:builder", "module": "tests.kit.samples.graphs:echo"}
    async with embedded_server(EmbeddedOptions(tmp_path / "db", paths)):
        pass


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere:graph", "nowhere cannot be imported"),
        ("mine.py:missing", "has no 'missing'"),
        ("mine.py:number", "int is no LangGraph graph"),
        ("absent.py:graph", "cannot be imported"),
        ("mine.py", "write module:attribute"),
    ],
)
async def test_a_graph_that_cannot_be_loaded_is_named(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    path = str(tmp_path / path) if ".py" in path else path
    with pytest.raises(ConfigError, match=rf"agent\.graphs\.mine: .*{words}"):
        async with embedded_server(EmbeddedOptions(tmp_path / "db", {"mine": path})):
            pass


async def test_a_signal_ends_it_cleanly_and_the_run_goes_on_later(tmp_path: Path) -> None:
    thread = str(uuid4())
    allow(tmp_path, 0)
    with server(tmp_path) as (url, process):
        async with get_client(url=url, api_key=KEY) as client:
            run = await client.runs.create(thread, "walk", input={"steps": []}, if_not_exists="create")
            stream = client.runs.join_stream(thread, run["run_id"])
            await anext(stream)
            os.kill(process.pid or 0, signal.SIGTERM)
            await asyncio.to_thread(process.join)
            assert process.exitcode == 0
    allow(tmp_path, STEPS)
    with server(tmp_path) as (url, _):
        async with get_client(url=url, api_key=KEY) as client:
            await client.runs.join(thread, run["run_id"])
            assert (await client.runs.get(thread, run["run_id"]))["status"] == "success"
