"""File names, kinds, and copies that end at their limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.channels.kit.files import (
    MOST_NAME,
    copy_file,
    file_gone,
    file_too_large,
    file_withheld,
    human_size,
    kind_of,
    safe_name,
    unsent_file_text,
)
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.errors import AttachmentRefused, DeliveryRejected


async def test_copies_have_limits_too(tmp_path):
    (tmp_path / "source").write_bytes(b"x" * 100)
    assert await copy_file(tmp_path / "source", tmp_path / "target", 100) == 100
    with pytest.raises(AttachmentRefused):
        await copy_file(tmp_path / "source", tmp_path / "other", 99)
    with pytest.raises(AttachmentRefused):
        await copy_file(tmp_path / "nothing", tmp_path / "other", 99)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_name_becomes_a_safe_one(name):
    safe = safe_name(name)
    assert safe
    assert safe not in (".", "..")
    assert not set(safe) & set('/\\\0:*?"<>|')
    assert len(safe.encode()) <= MOST_NAME


def test_names_keep_what_people_know_them_by():
    assert safe_name("../../etc/Jahresbericht 2026.pdf") == "Jahresbericht 2026.pdf"
    assert safe_name("C:\\temp\\报告.docx") == "报告.docx"
    assert safe_name("x" * 500 + ".tar.gz").endswith(".gz")
    assert safe_name("...", "photo.jpg") == "photo.jpg"


def test_kinds():
    assert kind_of("image/png") is AttachmentKind.IMAGE
    assert kind_of("", "song.mp3") is AttachmentKind.AUDIO
    assert kind_of("application/octet-stream", "film.mp4") is AttachmentKind.VIDEO
    assert kind_of("application/pdf", "a.png") is AttachmentKind.FILE


def test_sizes():
    assert [human_size(n) for n in (0, 1500, 2_000_000, 62_400_000)] == ["1 kB", "2 kB", "2 MB", "62.4 MB"]


def test_why_a_file_was_not_sent_is_said_in_the_persons_language() -> None:
    file = StoredFile(AttachmentKind.FILE, "a.bin", "", 3_000_000, "a.bin")
    assert (
        unsent_file_text(file, file_too_large(2_000_000), "en-GB")
        == "⚠ a.bin (3 MB) was left out: it is larger than 2 MB."
    )
    assert unsent_file_text(file, file_gone(), "zh") == "⚠ 未处理文件 a.bin (3 MB)：文件已无法获取。"
    assert "a.bin" in unsent_file_text(file, file_withheld("scope files:read?"), "en")
    for error in (file_withheld("scope files:read?"), DeliveryRejected("code 40006: 不合法")):
        told = unsent_file_text(file, error, "en")
        assert "scope" not in told
        assert "40006" not in told
