"""What the agent is given, and the files that it gives back."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from parley.agent.files import outgoing
from parley.agent.files.reader import FileReader
from parley.agent.runs.run_input import build_run_config, build_run_input, message_before
from parley.core.model.address import RunIdentity
from parley.core.model.attachments import AttachmentKind, StoredFile, UnreadFile, UnreadReason
from parley.core.model.types import Json, JsonObject, SessionSettings
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


IDENTITY = RunIdentity("slack:U1", "slack:U1", "slack", "slack", "C1", "C1:1.2", name="Ann", private=False)


def run_config(
    config: JsonObject | None = None,
    context: JsonObject | None = None,
    declared: frozenset[str] | None = None,
) -> tuple[Any, Any]:
    session = SessionSettings("agent", config or {}, context or {})
    return build_run_config(request("hi", session=session, identity=IDENTITY), 50, declared)


def test_who_speaks_is_in_configurable_and_in_a_context_that_takes_it() -> None:
    about = {"user_id": "slack:U1", "parley": IDENTITY.describe()}
    takes_all = run_config({"configurable": {"x": 1}}, {"model": "b"}, frozenset())
    assert takes_all == (
        {"recursion_limit": 50, "configurable": {"x": 1, **about}},
        {"model": "b", **about},
    )
    _, strict = run_config(context={"model": "b"}, declared=frozenset({"user_id", "other"}))
    assert strict == {"model": "b", "user_id": "slack:U1"}
    # Nothing is known of what it takes: what the operator wrote, and no more.
    assert run_config(context={"model": "b"})[1] == {"model": "b"}


@pytest.mark.parametrize("place", ["config", "context"])
def test_the_operators_own_user_id_stays(place: str) -> None:
    own = {"user_id": "team"}
    given = {"config": {"configurable": own}} if place == "config" else {"context": own}
    config, context = run_config(**given, declared=frozenset())
    assert (config["configurable"]["user_id"], context["user_id"]) == ("team", "team")
    assert config["configurable"]["parley"]["person"] == "slack:U1"


def test_the_operators_settings_cannot_pretend_to_be_somebody() -> None:
    config, context = run_config({"configurable": {"parley": "x"}}, {"parley": "y"}, frozenset())
    assert config["configurable"]["parley"] == context["parley"] == IDENTITY.describe()


def test_a_store_label_has_no_dots() -> None:
    assert replace(IDENTITY, person="dingtalk:j.doe").user_id == "dingtalk:j%2Edoe"


async def test_the_message_has_the_name_of_its_writer() -> None:
    given = await build_run_input(request("hello", name="Ann-1"), FileReader())
    assert cast("Any", given.input)["messages"][0]["name"] == "Ann-1"


DATA = b64encode(b"hi").decode()


IMAGE: dict[str, Json] = {"type": "image"}
FILE: dict[str, Json] = {"type": "file"}
URL: dict[str, Json] = {"type": "image_url"}
ANTHROPIC: Json = {"type": "base64", "media_type": "image/webp", "data": DATA}
OPENAI: Json = {"file_data": f"data:;base64,{DATA}", "filename": "..\\.hid\x00den"}


async def saved(folder: Path, *blocks: Json, limit: int = 1000) -> tuple[StoredFile, ...]:
    files = list(outgoing.extract_files([list(blocks), None, "x"]))
    return (await outgoing.save_files(files, folder, limit)).stored


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
    (file,) = await saved(tmp_path / "out", block)
    assert (file.name, file.mime, file.size) == (name, mime, 2)
    assert Path(file.path).read_bytes() == b"hi"  # noqa: ASYNC240
    assert Path(file.path).is_relative_to(tmp_path / "out")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "base64": "%%%"},
        {"type": "image", "base64": ""},
        {"type": "image", "url": "http://127.0.0.1/x.png"},
        {"type": "image", "base64": b64encode(b"x" * 11).decode()},
        {"type": "text", "base64": DATA},
        {"type": "file", "file": 7},
        "text",
    ],
)
async def test_broken_large_and_remote_files_are_left_out(tmp_path: Path, block: Json) -> None:
    assert await saved(tmp_path, block, limit=10) == ()


async def test_names_that_repeat_do_not_collide(tmp_path: Path) -> None:
    contents = ["aGk=", "aG8=", "aGk="]
    blocks: list[Json] = [{"type": "file", "base64": each, "filename": "a.txt"} for each in contents]
    one, two = await saved(tmp_path, *blocks)
    assert one.path != two.path, "and what came twice is there once"


@pytest.mark.parametrize(
    ("name", "mime"), [("", "\ud83d/x"), ("a.\ud83d", "text/plain"), ("\0", "\0/\0"), ("", "a\\b" * 99)]
)
async def test_whatever_an_agent_calls_its_file_it_is_stored(tmp_path: Path, name: str, mime: str) -> None:
    block: Json = {"type": "file", "base64": "eA==", "mime_type": mime, "filename": name}
    (file,) = await saved(tmp_path, block)
    assert file.size == 1
    assert file.mime.isprintable()
    assert file.mime.isascii()
    assert file.path.startswith(f"{tmp_path}/")
    assert ".." not in file.path


async def test_a_block_of_no_kind_at_all_is_no_file(tmp_path: Path) -> None:
    kinds: list[Json] = [["file"], {"file": 1}, None, 1]
    blocks: list[Json] = [{"type": kind, "base64": DATA} for kind in kinds]
    assert await saved(tmp_path, *blocks) == ()
