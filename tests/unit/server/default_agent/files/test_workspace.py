"""What people send lies in the conversation's workspace, and what the agent presents comes to the chat."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from starlette.applications import Starlette

from parley.agent.agent import LangGraphAgent
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.types import OutboundMessage
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import DefaultAgentOptions, EmbeddedOptions, ToolRules
from parley.server.workspace.entries import WorkspaceLimits
from parley.server.workspace.expiry import delete_unknown
from parley.server.workspace.workspaces import DAY, Workspaces
from tests.unit.server.default_agent.conversation import Talk, conversation
from tests.unit.server.default_agent.scripted_model import calls, calls_all, offered, repeats_result, streams

TABLE = Attachment(AttachmentKind.FILE, "../sales 1.csv", "text/csv", 0, "a,b\n1,2\n")


@pytest.fixture
def spaces(tmp_path: Path) -> Workspaces:
    return Workspaces(tmp_path / "workspaces", WorkspaceLimits(size=10_000, files=50, file=5_000))


def files_of(spaces: Workspaces) -> list[Path]:
    return sorted(path for path in spaces.root.glob("*/files/**/*") if path.is_file())


def given(said: OutboundMessage) -> list[tuple[str, str]]:
    return [(each.name, Path(each.path).read_text()) for each in said.attachments]


async def shown(talk: Talk, *answers, text: str = "Go", **changes) -> str:
    """Have the model call something and say its result."""
    return (await talk.say(text, *answers, repeats_result, **changes)).text


async def test_a_file_is_sent_changed_and_given_back(tmp_path: Path, spaces: Workspaces) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        said = await talk.say(
            "Add a row",
            calls("read_file", file_path="/uploads/sales 1.csv"),
            calls_all(
                ("write_file", {"file_path": "/out/sum.csv", "content": "a,b\n4,6\n"}),
                ("edit_file", {"file_path": "/uploads/sales 1.csv", "old_string": "1", "new_string": "3"}),
            ),
            calls("present_files", filepaths=["/out/sum.csv", "/uploads/sales 1.csv"]),
            streams(content="Here they are."),
            attachments=(TABLE,),
        )
        first, read = talk.model.asked[0]["messages"], talk.model.asked[1]["messages"]
        assert "[In the workspace: /uploads/sales 1.csv]" in str(first[-1]["content"])
        assert "1,2" in read[-1]["content"]
        assert said.text == "Here they are."
        assert given(said) == [("sum.csv", "a,b\n4,6\n"), ("sales 1.csv", "a,b\n3,2\n")]


async def test_a_conversation_sees_no_file_of_another(tmp_path: Path, spaces: Workspaces) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        await talk.say("Look", streams(content="ok"), attachments=(TABLE,))
        (theirs,) = files_of(spaces)
        outside = f"/../../{theirs.parents[2].name}/files/uploads/{theirs.name}"
        for path in (outside, str(theirs), "../../../../etc/passwd", "/etc/passwd"):
            told = await shown(talk, calls("read_file", file_path=path), chat="other")
            assert "1,2" not in told
            assert "root:" not in told
        told = await shown(talk, calls("write_file", file_path=outside, content="x"), chat="other")
        assert "not allowed" in told
        assert await shown(talk, calls("glob", pattern="*.csv"), chat="other") == "No files found"
        assert files_of(spaces) == [theirs]
        told = await shown(talk, calls("present_files", filepaths=["/etc/hosts"]), chat="third")
        assert "there is no such file" in told


async def test_what_is_searched_is_found(tmp_path: Path, spaces: Workspaces) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        await talk.say("Look", streams(content="ok"), attachments=(TABLE,))
        assert "sales 1.csv" in await shown(talk, calls("ls", path="/uploads"))
        assert await shown(talk, calls("glob", pattern="**/*.csv")) == "['/uploads/sales 1.csv']"
        told = await shown(talk, calls("grep", pattern="1,2", output_mode="content"))
        assert "1,2" in told
        assert "too long" in await shown(talk, calls("glob", pattern="*a" * 30))
        assert "Deleted" in await shown(talk, calls("delete", file_path="/uploads"))
        assert files_of(spaces) == []


async def test_a_full_workspace_is_said_to_the_model(tmp_path: Path, spaces: Workspaces) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        told = await shown(talk, calls("write_file", file_path="/big", content="x" * 5_001))
        assert "at most" in told
        big = Attachment(AttachmentKind.FILE, "big.bin", "application/octet-stream", 0, "\0" * 5_001)
        await talk.say("Look", streams(content="ok"), attachments=(big,))
        assert "In the workspace" not in str(talk.model.asked[-1]["messages"][-1]["content"])
        assert files_of(spaces) == []


async def test_no_replacement_makes_a_file_larger_than_one_may_be(tmp_path: Path, spaces: Workspaces) -> None:
    """It is refused before it takes the memory: 2,000 places times 10 MB would be 20 GB."""
    grown = {"file_path": "/a", "old_string": "x", "new_string": "y" * 10_000_000, "replace_all": True}
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        await shown(talk, calls("write_file", file_path="/a", content="x" * 2_000))
        assert "may have 5000 bytes" in await shown(talk, calls("edit_file", **grown))
        assert [path.read_text() for path in files_of(spaces)] == ["x" * 2_000]


async def test_a_name_of_any_length_is_taken(tmp_path: Path, spaces: Workspaces) -> None:
    named = [replace(TABLE, name=name) for name in ("文" * 70 + ".csv", "sales 1.csv")]
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        await talk.say("Look", streams(content="ok"), attachments=tuple(named))
        assert sorted(path.name[-9:] for path in files_of(spaces)) == ["les 1.csv", "文文文文文.csv"]


async def test_rules_hold_for_the_tools_on_files(tmp_path: Path, spaces: Workspaces) -> None:
    rules = ToolRules(deny=("delete",), always_ask=("write_file",))
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces, rules=rules)) as talk:
        await talk.say("Go", calls("write_file", file_path="/a", content="x"), repeats_result)
        await talk.until_asked("approval to run `write_file`")
        assert "delete" not in offered(talk.model.asked[0])
        assert files_of(spaces) == []


async def test_files_go_with_their_conversation(tmp_path: Path, spaces: Workspaces) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        await talk.say("Look", streams(content="ok"), attachments=(TABLE,))
        (thread,) = spaces.root.iterdir()
        agent = talk.core.manager._services.agent
        assert isinstance(agent, LangGraphAgent)
        await agent.forget(thread.name)
        assert [*spaces.root.iterdir()] == []


async def test_a_server_without_workspaces_is_asked_once(tmp_path: Path) -> None:
    async with conversation(tmp_path, DefaultAgentOptions()) as talk:
        await talk.say("Look", streams(content="ok"), attachments=(TABLE,))
        assert "1,2" in str(talk.model.asked[-1]["messages"][-1]["content"])
        assert "workspace" not in str(talk.model.asked[-1]["messages"][-1]["content"])


async def test_two_edits_in_one_step_are_both_made(tmp_path: Path, spaces: Workspaces) -> None:
    async with conversation(tmp_path, DefaultAgentOptions(workspaces=spaces)) as talk:
        words = [f"word{number:02}" for number in range(12)]
        await shown(talk, calls("write_file", file_path="/a", content=" ".join(words)))
        edits = [
            ("edit_file", {"file_path": "/a", "old_string": word, "new_string": f"W{number}"})
            for number, word in enumerate(reversed(words))
        ]
        await talk.say("Go", calls_all(*edits), streams(content="Done."))
        (file,) = files_of(spaces)
        assert "word" not in file.read_text()


async def test_files_that_no_thread_has_go_and_those_of_a_thread_stay(
    tmp_path: Path, spaces: Workspaces
) -> None:
    """A process that was ended while it deleted a thread left them."""
    forever = replace(spaces, keep=0)
    chosen = EmbeddedOptions(tmp_path / "a.sqlite", default_agent=DefaultAgentOptions(workspaces=forever))
    async with embedded_server(chosen) as server, client_of(server) as client:
        made = (await client.post("/threads", json={})).json()["thread_id"]
        await client.post(f"/threads/{made}/uploads", files={"files": ("a.txt", b"x")})
        forever.of(str(uuid4())).write("/left", b"x")
        known = server.state.services.threads.tables.known_threads
        assert await delete_unknown(forever, known, time.time()) == 0
        assert await delete_unknown(forever, known, time.time() + 2 * DAY) == 1
        assert [path.parents[2].name for path in files_of(forever)] == [made]
        await client.delete(f"/threads/{made}")
        assert files_of(forever) == []


def client_of(server: Starlette) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=StreamingASGITransport(server), base_url="http://embedded")
