"""What the agent is given, and the files that it gives back."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any, cast

import pytest

from parley.agent.files import outgoing
from parley.agent.files.reader import FileReader
from parley.agent.runs.run_input import build_run_config, build_run_input, message_before
from parley.core.model.attachments import AttachmentKind, StoredFile, UnreadFile, UnreadReason
from parley.core.model.types import Json, SessionSettings
from tests.kit.samples.langgraph_messages import MESSAGE_ID, request


async def test_plain_text_stays_plain() -> None:
    given = await build_run_input(request("hello"), FileReader())
    assert given.input == {"messages": [{"type": "human", "id": MESSAGE_ID, "content": "hello"}]}


async def test_what_is_said_before_is_a_message_of_its_own_and_the_words_stay_text() -> None:
    asked = request("hello", memory="<memory>likes tea</memory>")
    above = message_before(asked, "memory", asked.memory)
    given = await build_run_input(asked, FileReader(), before=[above])
    first, second = cast("Any", given.input)["messages"]
    assert second == {"type": "human", "id": MESSAGE_ID, "content": "hello"}
    assert (first["type"], first["content"]) == ("human", "<memory>likes tea</memory>")
    assert first["additional_kwargs"]["hide_from_ui"] is True
    # Another try replaces it, another kind is another message.
    assert first["id"] == cast("Any", message_before(asked, "memory", "", "system"))["id"]
    assert first["id"] != cast("Any", message_before(asked, "thread", ""))["id"]


async def test_files_follow_the_text_and_what_is_not_given_is_told(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"x,y")
    table = StoredFile(AttachmentKind.FILE, "b.csv", "text/csv", 3, str(tmp_path / "b.csv"))
    gone = StoredFile(AttachmentKind.FILE, "gone.txt", "text/plain", 1, str(tmp_path / "gone.txt"))
    given = await build_run_input(request("look", files=(table, gone)), FileReader())
    text, first, second = cast("Any", given.input)["messages"][0]["content"]
    assert text == {"type": "text", "text": "look"}
    assert first["text"] == '<file name="b.csv" type="text/csv">\nx,y\n</file>'
    assert "not included" in second["text"]
    assert given.unread == (UnreadFile("gone.txt", UnreadReason.BROKEN),)


def test_a_context_takes_configurable_in() -> None:
    session = SessionSettings("agent", {"configurable": {"model": "a", "x": 1}}, {"model": "b"})
    assert build_run_config(session, 50) == ({"recursion_limit": 50}, {"model": "b", "x": 1})
    alone = SessionSettings("agent", {"configurable": {"x": 1}, "recursion_limit": 7})
    assert build_run_config(alone, 50) == ({"recursion_limit": 7, "configurable": {"x": 1}}, {})


DATA = b64encode(b"hi").decode()


IMAGE: dict[str, Json] = {"type": "image"}
FILE: dict[str, Json] = {"type": "file"}
URL: dict[str, Json] = {"type": "image_url"}
ANTHROPIC: Json = {"type": "base64", "media_type": "image/webp", "data": DATA}
OPENAI: Json = {"file_data": f"data:;base64,{DATA}", "filename": "..\\.hid\x00den"}


@pytest.mark.parametrize(
    ("block", "name", "mime"),
    [
        ({**IMAGE, "base64": DATA, "mime_type": "image/png"}, "image-1.png", "image/png"),
        (
            {**IMAGE, "source_type": "base64", "data": DATA, "mime_type": "image/gif"},
            "image-1.gif",
            "image/gif",
        ),
        ({**IMAGE, "source": ANTHROPIC}, "image-1.webp", "image/webp"),
        ({**URL, "image_url": {"url": f"data:image/jpeg;base64,{DATA}"}}, "image-1.jpg", "image/jpeg"),
        ({**URL, "image_url": f"data:image/png;base64,{DATA}"}, "image-1.png", "image/png"),
        ({"type": "image_generation_call", "result": DATA}, "image-1.png", "image/png"),
        ({**FILE, "base64": DATA, "mime_type": "text/csv", "filename": "t.csv"}, "t.csv", "text/csv"),
        ({**FILE, "base64": DATA, "extras": {"filename": "../../etc/x.pdf"}}, "x.pdf", "application/pdf"),
        ({**FILE, "file": OPENAI}, "hid_den", "application/octet-stream"),
        ({**FILE, "url": "data:text/plain,hi", "name": "a" * 300 + ".txt"}, "a" * 100 + ".txt", "text/plain"),
        ({"type": "audio", "base64": DATA, "mime_type": "audio/mpeg"}, "audio-1.mp3", "audio/mpeg"),
    ],
)
async def test_files_of_every_shape_are_stored(tmp_path: Path, block: Json, name: str, mime: str) -> None:
    (file,) = await outgoing.save_files([[block]], tmp_path / "out")
    assert (file.name, file.mime, file.size) == (name, mime, 2)
    assert Path(file.path).read_bytes() == b"hi"  # noqa: ASYNC240
    assert Path(file.path).is_relative_to(tmp_path / "out")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "base64": "%%%"},
        {"type": "image", "base64": ""},
        {"type": "image", "url": "https://example.org/x.png"},
        {"type": "image", "base64": b64encode(b"x" * 11).decode()},
        {"type": "text", "base64": DATA},
        {"type": "file", "file": 7},
        "text",
    ],
)
async def test_broken_large_and_remote_files_are_left_out(tmp_path: Path, block: Json) -> None:
    assert await outgoing.save_files([[block], None, "x"], tmp_path, limit=10) == ()


async def test_names_that_repeat_do_not_collide(tmp_path: Path) -> None:
    block: Json = {"type": "file", "base64": DATA, "filename": "a.txt"}
    one, two = await outgoing.save_files([[block, block]], tmp_path)
    assert one.path != two.path


@pytest.mark.parametrize(
    ("name", "mime"), [("", "\ud83d/x"), ("a.\ud83d", "text/plain"), ("\0", "\0/\0"), ("", "a\\b" * 99)]
)
async def test_whatever_an_agent_calls_its_file_it_is_stored(tmp_path: Path, name: str, mime: str) -> None:
    block: Json = {"type": "file", "base64": "eA==", "mime_type": mime, "filename": name}
    (file,) = await outgoing.save_files([[block]], tmp_path)
    assert file.size == 1
    assert file.mime.isprintable()
    assert file.mime.isascii()
    assert file.path.startswith(f"{tmp_path}/")
    assert ".." not in file.path


async def test_a_block_of_no_kind_at_all_is_no_file(tmp_path: Path) -> None:
    kinds: list[Json] = [["file"], {"file": 1}, None, 1]
    blocks: list[Json] = [{"type": kind, "base64": DATA} for kind in kinds]
    assert await outgoing.save_files([blocks], tmp_path) == ()
