"""Tables that are written into documents."""

from pathlib import Path

import pytest

from benchmarks.kit.tables import Table, write_tables

PLACES = "Before\n<!-- bench:a -->\nold\n<!-- /bench:a -->\nBetween\n<!-- bench:b -->\n<!-- /bench:b -->\n"


def table(name: str) -> Table:
    return Table(name, f"Title {name}", ("what", "is"), (("x", "1"),), "A note.")


def test_each_table_is_written_between_its_markers_and_the_text_around_stays(tmp_path: Path):
    document = tmp_path / "figures.md"
    document.write_text(PLACES, encoding="utf-8")

    write_tables(document, [table("a")])

    written = "\n**Title a**\n\n| what | is |\n| --- | --- |\n| x | 1 |\n\nA note.\n"
    assert document.read_text(encoding="utf-8") == PLACES.replace("\nold\n", written)


def test_a_table_without_a_place_takes_no_other_with_it(tmp_path: Path):
    document = tmp_path / "figures.md"
    document.write_text(PLACES, encoding="utf-8")

    with pytest.raises(ValueError, match=r"figures\.md has no place for machine, c$"):
        write_tables(document, [table("machine"), table("a"), table("c"), table("b")])

    text = document.read_text(encoding="utf-8")
    assert "Title a" in text
    assert "Title b" in text
    assert "Title c" not in text
