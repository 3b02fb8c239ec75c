"""Uploads and downloads: capped, harmless, and gone when nobody needs them."""

from pathlib import Path

import pytest

from parley.channels.web.config import Config
from parley.channels.web.files.upload_store import clean_name
from tests.unit.channels.web.conftest import Open
from tests.unit.channels.web.page_client import CHAT, Site


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "files").glob("*"))


async def test_an_upload_is_answered_with_what_it_is(site: Site) -> None:
    answer = await site.upload("upload-01", "photo.png", b"\x89PNG", "image/png")
    assert answer.status_code == 201
    expected = {"id": "upload-01", "name": "photo.png", "mime": "image/png", "size": 4, "kind": "image"}
    assert answer.json() == expected
    assert (await site.upload("upload-01", "photo.png", b"\x89PNG", "image/png")).json() == expected


@pytest.mark.parametrize("declared", [True, False], ids=["with length", "chunked"])
async def test_too_large_an_upload_is_refused_and_leaves_nothing(
    open_site: Open, tmp_path: Path, declared: bool
) -> None:
    async with open_site(Config(max_upload=1000)) as site:
        head = b'--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n'
        body = head + b"x" * 200_000 + b"\r\n--b--\r\n"

        async def chunks():
            yield body

        content = body if declared else chunks()
        headers = {"content-type": "multipart/form-data; boundary=b"}
        answer = await site.http.post("/api/chat/uploads/upload-01", content=content, headers=headers)
        assert answer.status_code == 413
        assert kept(tmp_path) == []


async def test_damaged_uploads_are_refused_and_leave_nothing(site: Site, tmp_path: Path) -> None:
    multipart = {"content-type": "multipart/form-data; boundary=b"}
    url = "/api/chat/uploads/upload-01"
    field = b'--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n'
    assert (await site.http.post(url, content=b"rubbish", headers=multipart)).status_code == 400
    assert (await site.http.post(url, content=field, headers=multipart)).status_code == 400
    assert (await site.http.post(url, content=b"x")).status_code == 415
    assert kept(tmp_path) == []


async def test_a_file_that_could_run_is_never_served_as_what_it_is(site: Site) -> None:
    for number, (name, mime) in enumerate([("a.html", "text/html"), ("a.svg", "image/svg+xml")]):
        await site.upload(f"upload-0{number}", name, b"<script>alert(1)</script>", mime)
        answer = await site.http.get(f"/api/chat/files/upload-0{number}")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"].startswith("attachment")


async def test_a_discarded_upload_is_gone_but_a_sent_one_stays(site: Site, tmp_path: Path) -> None:
    await site.upload("upload-01", "a.txt", b"a")
    await site.upload("upload-02", "b.txt", b"b")
    await site.post("message-1", "see", files=["upload-02"])
    for file_id in ("upload-01", "upload-02"):
        await site.http.delete(f"/api/chat/uploads/{file_id}")
    assert kept(tmp_path) == ["upload-02"]


async def test_a_deleted_conversation_takes_its_files_along(site: Site, tmp_path: Path) -> None:
    await site.upload("upload-01", "a.txt", b"a")
    await site.post("message-1", "see", files=["upload-01"])
    await site.http.delete(f"/api/chat/conversations/{CHAT}")
    assert kept(tmp_path) == []
    assert (await site.http.get("/api/chat/files/upload-01")).status_code == 404


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.txt", "a.txt"),
        ("a\r\nb.txt", "ab.txt"),
        ("", "file"),
        ("报告.pdf", "报告.pdf"),
        ("x" * 300 + ".txt", "x" * 146 + ".txt"),
    ],
)
def test_names_are_made_harmless(name: str, clean: str) -> None:
    assert clean_name(name) == clean
