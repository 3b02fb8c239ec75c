"""The loader of documented limits: what is broken is named with its file and row."""

from __future__ import annotations

import pytest

from parley.simulator.kit.limits import FOLDER, load_limits, read_limits

ROW = {
    "value": "3",
    "unit": '"seconds"',
    "source": '"a page"',
    "date": '"2026-11"',
    "sure": '"certain"',
}


def written(tmp_path, rows, name="answer_time"):
    path = tmp_path / "discord.toml"
    lines = "\n".join(f"{field} = {value}" for field, value in rows.items())
    path.write_text(f"[{name}]\n{lines}\n", "utf-8")
    return path


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_file_loads_and_says_where_each_row_is_from(path):
    limits = load_limits(path.stem)
    assert limits
    assert all(limit.source and limit.date and limit.name == name for name, limit in limits.items())


def test_a_row_is_a_value_with_its_source(tmp_path):
    limit = read_limits(written(tmp_path, ROW))["answer_time"]
    assert (limit.whole, limit.number, limit.unit, limit.sure) == (3, 3.0, "seconds", "certain")


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"source": None}, "needed are date, source, sure, unit, value"),
        ({"date": None}, "needed are"),
        ({"note": '"more"'}, "it has date, note"),
        ({"source": '"  "'}, "source is no text"),
        ({"source": f'"{"x" * 2000}"'}, "source is no text"),
        ({"date": '"last year"'}, "date is no year"),
        ({"date": '"2026-13"'}, "date is no year"),
        ({"date": "2026-11-01"}, "date is no text"),
        ({"sure": '"perhaps"'}, "sure is none of"),
        ({"value": "-1.0"}, "value is neither"),
        ({"value": "-1"}, "value is neither"),
        ({"value": "nan"}, "value is neither"),
        ({"value": "inf"}, "value is neither"),
        ({"value": "true"}, "value is neither"),
        ({"value": '""'}, "value is neither"),
        ({"value": "[1]"}, "value is neither"),
    ],
)
def test_a_row_that_is_wrong_is_named(tmp_path, changes, wrong):
    rows = {field: value for field, value in (ROW | changes).items() if value is not None}
    with pytest.raises(ValueError, match=r"discord.toml: \[answer_time\]: .*" + wrong):
        read_limits(written(tmp_path, rows))


def test_a_name_that_is_wrong_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"discord.toml: \[AnswerTime\]: the name"):
        read_limits(written(tmp_path, ROW, "AnswerTime"))


@pytest.mark.parametrize(
    "content",
    [b"[a\n", b"\xff\xfe", b"[ab]\n[ab]\n", b"a = " + b"[" * 100_000, b"#" * (1 << 21), b"ab = 1\n"],
    ids=["syntax", "encoding", "twice", "depth", "size", "no_table"],
)
def test_a_file_that_is_wrong_is_named(tmp_path, content):
    path = tmp_path / "discord.toml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^discord.toml: "):
        read_limits(path)


def test_a_platform_without_a_file_is_named():
    with pytest.raises(ValueError, match=r"^discord.toml: "):
        load_limits("discord")


@pytest.mark.parametrize("name", ["../slack", "", "slack/../slack", "slack.toml"])
def test_a_platform_is_a_plain_name(name):
    with pytest.raises(ValueError, match="is no platform's name"):
        load_limits(name)


def test_a_value_is_read_as_what_it_is(tmp_path):
    code = read_limits(written(tmp_path, ROW | {"value": '"too_long"'}))["answer_time"]
    half = read_limits(written(tmp_path, ROW | {"value": "0.5"}))["answer_time"]
    assert half.number == 0.5
    with pytest.raises(ValueError, match="answer_time: 'too_long' is no number"):
        assert code.number
    with pytest.raises(ValueError, match="no whole number"):
        assert half.whole
