"""The built-in agent uses MCP servers: over each transport, of another author, and when they die."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from parley.server.options import DefaultAgentOptions, McpOptions, ToolRules
from parley.simulator.telegram import TelegramSimulator
from tests.kit.doubles.llm_provider import provider
from tests.kit.product.deciders import OnTelegram
from tests.kit.product.process import Process, environment
from tests.kit.product.scene import begin, end
from tests.kit.waiting import until
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.mcp.scene import BY_STDIO, by_network, options, write_servers
from tests.unit.server.default_agent.scripted_model import (
    calls,
    offered,
    repeats_result,
    streams,
)

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]


async def listens(url: str) -> None:
    """Return once somebody listens there."""
    port = int(url.split(":")[2].split("/")[0])

    async def connects() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        return True

    await until(connects, "the server listens")


@pytest.mark.parametrize(("transport", "path", "kind"), [("http", "/mcp", "http"), ("sse", "/sse", "sse")])
async def test_a_server_on_the_network(tmp_path: Path, transport: str, path: str, kind: str) -> None:
    with by_network(tmp_path, transport, path) as url:
        await listens(url)
        notes = {"type": kind, "url": url}
        async with conversation(tmp_path, options(tmp_path, notes=notes)) as talk:
            told = await talk.say("Read a", calls("notes_read", name="a"), repeats_result)
            assert told.text == "the note a for nobody"


async def test_a_server_of_another_author(tmp_path: Path) -> None:
    time = {"command": sys.executable, "args": ["-m", "mcp_server_time"]}
    rules = ToolRules(always_ask=("time_convert*",))
    async with conversation(tmp_path, options(tmp_path, rules, time=time)) as talk:
        arguments = {"source_timezone": "Europe/Rome", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        await talk.say("Noon in Rome?", calls("time_convert_time", **arguments), repeats_result)
        await talk.until_asked("approval to run `time_convert_time`")
        told = await talk.say("yes")
        assert "Asia/Tokyo" in told.text
        told = await talk.say(
            "And in Oz?", calls("time_get_current_time", timezone="Oz/Emerald"), repeats_result
        )
        assert "Oz/Emerald" in told.text
        assert [step.status for step in told.steps] == ["failed"]


async def test_a_server_that_dies_is_said_and_reached_again(tmp_path: Path) -> None:
    rules = ToolRules(never_ask=("notes_write",))
    async with conversation(tmp_path, options(tmp_path, rules, notes=BY_STDIO)) as talk:
        told = await talk.say("Go", calls("notes_leave"), repeats_result)
        assert "The MCP server notes went away. It changes nothing" in told.text
        told = await talk.say("Read a", calls("notes_read", name="a"), repeats_result)
        assert told.text == "the note a for Ann"

        told = await talk.say("Write", calls("notes_write", name="last"), repeats_result)
        assert "Nobody knows whether it did its work" in told.text
        assert (tmp_path / "written").read_text() == "last\n", "it is not called again"
        told = await talk.say("Read b", calls("notes_read", name="b"), repeats_result)
        assert told.text == "the note b for Ann"


async def test_a_server_that_gives_no_answer_is_given_up(tmp_path: Path) -> None:
    made = options(tmp_path, notes=BY_STDIO)
    assert made.mcp
    slow = DefaultAgentOptions(mcp=McpOptions(made.mcp.file, timeout=0.2, environ=made.mcp.environ))
    async with conversation(tmp_path, slow) as talk:
        told = await talk.say("Go", calls("notes_sleep"), repeats_result)
        assert "The MCP server notes" in told.text


async def test_a_server_that_is_away_is_said_and_the_others_work(tmp_path: Path) -> None:
    gone = {"command": str(tmp_path / "no-such-program")}
    async with conversation(tmp_path, options(tmp_path, gone=gone, notes=BY_STDIO)) as talk:
        told = await talk.say("Hello", streams(content="hi"))
        assert [(step.title, step.status) for step in told.steps] == [("gone cannot be reached", "failed")]
        assert "cannot be reached now: gone" in talk.model.asked[0]["messages"][0]["content"]
        assert "notes_read" in offered(talk.model.asked[0])


async def test_the_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    async with conversation(tmp_path, options(tmp_path, notes=BY_STDIO)) as talk:
        await talk.say("Hello", streams(content="hi"))
        file.write_text("{broken")
        await talk.say("Hello", streams(content="hi"))
        assert "notes_read" in offered(talk.model.asked[-1]), "the earlier servers stay"
        write_servers(tmp_path, memos=BY_STDIO)
        await talk.say("Hello", streams(content="hi"))
        assert "memos_read" in offered(talk.model.asked[-1])
        assert "notes_read" not in offered(talk.model.asked[-1])


async def test_through_chat_with_an_approval_and_kill_9_in_the_middle(tmp_path: Path) -> None:
    """Telegram's buttons approve; Parley dies while the tool writes, and it is not called again."""
    file = write_servers(tmp_path, notes={**BY_STDIO, "cwd": "."})
    with TelegramSimulator() as telegram:
        async with provider(calls("notes_write", name="slow"), repeats_result) as model:
            agent = {"model": "openai:m", "model_api_key": "k", "base_url": model.url}
            built_in = {"mcp": {"file": file.name}}
            person = OnTelegram(telegram)
            process = begin(
                tmp_path,
                {"agent": agent, "built_in": built_in, "channels": {person.name: person.section()}},
                variables={"NAME_OF_OWNER": "Ann"},
            )
            try:
                await asyncio.to_thread(through_chat, process, person, tmp_path)
            finally:
                end(process)
    assert (tmp_path / "written").read_text() == "slow\n"


def through_chat(process: Process, person: OnTelegram, folder: Path) -> None:
    process.wait_until_up()
    person.say("Write it down")
    message, _, buttons = person.sees("notes_write", 0)
    assert "Approve notes_write" in buttons
    assert not (folder / "written").exists()
    count = len(person.seen())
    person.choose(message, "Approve notes_write", 1)
    person.wait((folder / "written").exists)
    process.kill()
    (folder / "go").touch()
    process.spawn()
    process.wait_until_up()
    person.sees("was not called again", count)


def test_without_servers_nothing_of_mcp_is_imported(tmp_path: Path) -> None:
    code = """
import sys
from parley.server.default_agent.graph import agent_graph
from parley.server.options import ModelOptions
agent_graph([ModelOptions("m", "openai:m", "http://127.0.0.1:1/v1", "k")])
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("mcp", "langchain_mcp_adapters")))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment()
    )
    assert done.stdout.strip() == "[]", done.stderr
