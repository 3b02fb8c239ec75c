"""The built-in agent uses an MCP server: with approval, and by chat."""

from __future__ import annotations

from pathlib import Path

from parley.server.options import DefaultAgentOptions, McpOptions
from tests.unit.server.default_agent.conversation import conversation
from tests.unit.server.default_agent.mcp.scene import BY_STDIO, options
from tests.unit.server.default_agent.scripted_model import (
    calls,
    offered,
    repeats_result,
)


async def test_a_servers_tools_are_used_and_one_that_may_write_asks(tmp_path: Path) -> None:
    async with conversation(tmp_path, options(tmp_path, notes=BY_STDIO)) as talk:
        told = await talk.say("Read a", calls("notes_read", name="a"), repeats_result)
        assert told.text == "the note a for Ann"
        names = ("read", "leave", "sleep", "write", "put", "look")
        assert offered(talk.model.asked[0]) == [f"notes_{name}" for name in names]

        await talk.say("Write b", calls("notes_write", name="b"), repeats_result)
        await talk.until_asked("approval to run `notes_write`")
        assert not (tmp_path / "written").exists()
        told = await talk.say("yes")
        assert told.text == "written b"
        assert (tmp_path / "starts").read_text().count("\n") == 1, "one process for all calls"


async def test_a_chat_has_the_servers_of_its_row_only(tmp_path: Path) -> None:
    made = options(tmp_path, notes=BY_STDIO)
    assert made.mcp
    chats = {"test:office*": ("notes",), "test:lab": ("other", "x*")}
    mcp = McpOptions(made.mcp.file, chats, environ=made.mcp.environ)
    async with conversation(tmp_path, DefaultAgentOptions(mcp=mcp)) as talk:
        told = await talk.say("Read", calls("notes_read", name="a"), repeats_result, chat="office-1")
        assert told.text == "the note a for Ann"
        told = await talk.say("Read", calls("notes_read", name="a"), repeats_result, chat="lab")
        assert told.text == "The tool notes_read may not be used here."
        assert offered(talk.model.asked[-2]) == []
