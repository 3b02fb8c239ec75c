"""A file with something wrong in it is read, or is unreadable; nothing else happens, whatever reads it."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.agent.files import sniff
from parley.agent.files.content_blocks import read_files
from parley.agent.files.reader import FileLimits, FileReader
from parley.core.model.attachments import AttachmentKind, StoredFile
from tests.fuzz.strategies import fuzzed, texts
from tests.kit.machine import patience
from tests.kit.samples import office_files

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3_000)]

SAMPLES = (
    *(
        office_files.docx("Dear all,", "the moon"),
        office_files.xlsx(3),
        office_files.slides("Plan"),
        office_files.pdf("a", "b"),
    ),
    *(office_files.picture(kind) for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")),
    *(
        office_files.locked_pdf(),
        office_files.locked_office(),
        b"<!DOCTYPE html><h1>News</h1><p>text",
        "größe".encode("utf-16"),
    ),
)
DAMAGE = st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=8), st.integers(0, 16)), max_size=6)


def damaged(content, damage):
    """Some bytes put in place of others."""
    for where, put, taken in damage:
        at = int(where * len(content))
        content = content[:at] + put + content[at + taken :]
    return content


CONTENTS = st.builds(damaged, st.sampled_from(SAMPLES), DAMAGE)


@fuzzed()
@given(CONTENTS | st.binary(max_size=99) | texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_anything_is_of_some_kind(content):
    assert sniff.kind_of(content) in sniff.ContentKind


@fuzzed(0.1)
@given(CONTENTS, texts, texts)
def test_a_damaged_file_is_read_or_told(content, name, mime):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        file = StoredFile(AttachmentKind.FILE, name, mime, len(content), str(path))
        limits = FileLimits(seconds=patience(40))
        blocks, _ = asyncio.run(read_files([file], FileReader(limits), pictures=True))
    assert len(blocks) == 1
