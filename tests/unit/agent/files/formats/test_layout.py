"""Lines, paragraphs and tables from where signs stand."""

from __future__ import annotations

from collections.abc import Iterator

from parley.agent.files.formats.layout import Sign, page_text

WIDTH = 612.0


def line(text: str, left: float, top: float, size: float = 10) -> Iterator[Sign]:
    for place, sign in enumerate(text):
        x = left + place * size / 2
        yield Sign(sign, x, x + size / 2, top, top + size)


def test_lines_of_a_paragraph_stay_together_and_a_gap_parts_it_from_the_next() -> None:
    lines = [*line("one", 50, 100), *line("two", 50, 112), *line("three", 50, 140), *line("four", 50, 152)]
    assert page_text(lines, WIDTH) == "one\ntwo\n\nthree\nfour"


def test_a_space_that_nobody_drew_parts_words() -> None:
    signs = [*line("one", 50, 100), Sign(" ", 0, 0, 0, 0), *line("two", 68, 100)]
    assert page_text(signs, WIDTH) == "one two"


def test_columns_of_text_are_no_table() -> None:
    text = "a line of text that is long"
    signs = [sign for x in (50, 230, 410) for y in range(100, 700, 12) for sign in line(text, x, y)]
    assert page_text(signs, WIDTH).count("|") == 0


def test_words_in_columns_are_a_table_between_what_stands_above_and_below() -> None:
    signs = [*line("Bill", 50, 80)]
    for row, cells in enumerate([("what", "how many", "price"), ("table", "1", "20|30"), ("chair", "4", "")]):
        for place, cell in enumerate(cells):
            signs += line(cell, 50 + 150 * place, 100 + 14 * row)
    signs += line("Thanks", 50, 200)
    assert page_text(signs, WIDTH) == (
        "Bill\n\n| what | how many | price |\n| --- | --- | --- |\n"
        "| table | 1 | 20\\|30 |\n| chair | 4 |  |\n\nThanks"
    )


def test_the_hyphen_of_a_broken_word_and_a_sign_in_two_halves_are_told() -> None:
    signs = [*line("bro", 50, 100), *line("\x02", 65, 100), *line("ken \ud83d\ude00", 50, 112)]
    assert page_text(signs, WIDTH) == "bro-\nken 😀"


def test_an_empty_page_has_no_text() -> None:
    assert page_text([], WIDTH) == ""
