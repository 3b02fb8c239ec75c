"""Files in a graph's state come with the answer that names them, in either of deepagents' shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.agent.files.outgoing import MAX_FILES, EncodedFile, RemoteFile, save_files
from parley.agent.files.state_files import named_files
from parley.agent.files.web_address import NotFetched
from parley.core.model.attachments import UnsentFile, UnsentReason
from parley.core.model.types import Json


async def sent(folder: Path, written: dict[str, Json], text: str) -> dict[str, bytes]:
    saved = await save_files(list(named_files(written, text)), folder)
    return {file.name: Path(file.path).read_bytes() for file in saved.stored}  # noqa: ASYNC240


@pytest.mark.parametrize(
    "data",
    [
        "one\ntwo é%20",
        {"content": "one\ntwo é%20", "encoding": "utf-8"},
        {"content": ["one", "two é%20"], "created_at": "x"},
        {"content": "b25lCnR3byDDqSUyMA==", "encoding": "base64"},
    ],
)
async def test_each_shape_is_read(tmp_path: Path, data: Json) -> None:
    written = {"/notes/r.md": data}
    assert await sent(tmp_path, written, "See `/notes/r.md`.") == {"r.md": "one\ntwo é%20".encode()}


async def test_only_what_the_answer_names_is_sent(tmp_path: Path) -> None:
    written: dict[str, Json] = {"/r.md": "r", "/todo.txt": "t", "/gone.md": None, "/": "x", "odd": 7}
    assert await sent(tmp_path, written, "It is in r.md, not gone.md or odd") == {"r.md": b"r"}


async def test_what_cannot_be_sent_is_named_with_its_reason(tmp_path: Path) -> None:
    async def refuses(_: int) -> tuple[bytes, str]:
        raise NotFetched("HTTP 404")

    async def large(most: int) -> tuple[bytes, str]:
        raise NotFetched(f"more than {most}", too_large=True)

    files: list[EncodedFile | RemoteFile] = [
        RemoteFile("a.pdf", refuses),
        RemoteFile("b.pdf", large),
        EncodedFile("c.bin", "", "%%%"),
        EncodedFile("d.txt", "", "x" * 50, base64=False),
        RemoteFile("e.png", refuses, "https://example.org/e.png"),
    ]
    saved = await save_files(files, tmp_path, 20)
    assert saved.stored == ()
    assert saved.unsent == (
        UnsentFile("a.pdf", UnsentReason.NOT_FETCHED),
        UnsentFile("b.pdf", UnsentReason.TOO_LARGE),
        UnsentFile("c.bin", UnsentReason.BROKEN),
        UnsentFile("d.txt", UnsentReason.TOO_LARGE),
    )
    assert saved.links == ("https://example.org/e.png",)


async def test_more_files_than_an_answer_takes_are_named(tmp_path: Path) -> None:
    files = [EncodedFile(f"{n}.txt", "", str(n), base64=False) for n in range(MAX_FILES + 2)]
    saved = await save_files(files, tmp_path)
    assert len(saved.stored) == MAX_FILES
    assert [file.reason for file in saved.unsent] == [UnsentReason.TOO_MANY] * 2
