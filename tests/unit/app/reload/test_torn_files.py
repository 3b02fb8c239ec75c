"""Halves of files are told from whole ones, at every character where a writer may have stopped."""

from pathlib import Path

import pytest

from parley.app.reload.torn_files import find_torn, may_be_half, read_texts

CONFIG, ENV = Path("config.yaml"), Path(".env")
TEXT = "language: en\nchannels:\n  telegram:\n    allowed_users: [1, 2]\n    mention: never\n"
EDITED = TEXT.replace("[1, 2]", "[1, 2, 33]")


def half(now, before=TEXT):
    return may_be_half({CONFIG: before}, {CONFIG: now})


def torn(now, before=TEXT):
    return find_torn({CONFIG: before}, {CONFIG: now})


@pytest.mark.parametrize("written", [TEXT, EDITED], ids=["unchanged", "edited"])
def test_no_beginning_of_a_file_is_taken_for_the_whole(written):
    assert all(half(written[:size]) for size in range(len(written)))
    assert not half(written)


def test_a_beginning_that_ends_within_a_line_is_torn():
    whole_lines = {TEXT[: at + 1] for at, character in enumerate(TEXT) if character == "\n"}
    for size in range(1, len(TEXT)):
        cut = TEXT[:size]
        blank = not cut.splitlines()[-1].strip()
        as_before = f"{cut}\n" in whole_lines
        assert bool(torn(cut)) == (cut not in whole_lines and not blank and not as_before), cut


def test_the_place_and_the_remedy_are_named():
    assert torn(TEXT[:30]) == (
        "config.yaml:3: ends in the middle of a line; save it whole, or end it with a line break"
    )
    assert torn("\n") == "config.yaml: is empty now; save it whole"


@pytest.mark.parametrize(
    "now", [TEXT.rstrip(), TEXT + "log_level: debug", TEXT.replace("en", "zh"), EDITED + "# end\n"]
)
def test_what_people_save_is_whole(now):
    assert not torn(now)


def test_a_file_without_a_break_at_its_end_and_an_empty_one_may_be_edited():
    assert not torn("language: zh", before="language: en")
    assert not torn("language: zh\n", before="")
    assert not half("language: zh", before="# all the same\nlanguage: zh")


def test_files_come_and_go(tmp_path):
    there, gone = tmp_path / ".env", tmp_path / "config.yaml"
    there.write_bytes(b"A=\xff\n")
    texts = read_texts([there, gone])
    assert list(texts) == [there]
    assert may_be_half({gone: "a: 1\n"}, texts)
    assert find_torn({gone: "a: 1\n"}, texts) == ""
    assert not may_be_half({}, texts)
