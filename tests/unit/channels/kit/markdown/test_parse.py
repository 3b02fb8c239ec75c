"""The tree of a text: what stands in it, and that every text has one with all of its words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.kit.markdown.parse import DEEPEST, parse
from parley.channels.kit.markdown.tree import (
    Block,
    BlockQuote,
    CodeBlock,
    Heading,
    ListBlock,
    ListItem,
    Mark,
    Paragraph,
    TableBlock,
    TextRun,
    TextRuns,
    ThematicBreak,
    plain_text,
)
from tests.kit.samples.markdown_pieces import HUGE, cooked, in_order, numbered, pieces, titled

BOLD: frozenset[Mark] = frozenset({"bold"})
ITALIC: frozenset[Mark] = frozenset({"italic"})
STRUCK: frozenset[Mark] = frozenset({"struck"})
CODE: frozenset[Mark] = frozenset({"code"})


def plain(text: str) -> TextRuns:
    return (TextRun(text),)


def paragraph(text: str) -> Paragraph:
    return Paragraph(plain(text))


def texts(blocks: tuple[Block, ...]) -> list[str]:
    """All that a reader could see, and the addresses."""
    found: list[str] = []
    for block in blocks:
        match block:
            case Paragraph(runs) | Heading(_, runs):
                found += [f"{run.text} {run.address} " for run in runs]
            case CodeBlock(language, text):
                found += [language, text]
            case BlockQuote(inner):
                found += texts(inner)
            case ListBlock(items):
                found += [text for item in items for text in texts(item.blocks)]
            case TableBlock(head, rows):
                cells = [cell for row in (head, *rows) for cell in row]
                found += [text for cell in cells for text in texts((Paragraph(cell),))]
    return found


def depth(blocks: tuple[Block, ...]) -> int:
    inner = [block.blocks for block in blocks if isinstance(block, BlockQuote)]
    inner += [item.blocks for block in blocks if isinstance(block, ListBlock) for item in block.items]
    return 1 + max(map(depth, inner), default=0)


@pytest.mark.parametrize(
    ("markdown", "block"),
    [
        ("## Two", Heading(2, plain("Two"))),
        ("One\n===", Heading(1, plain("One"))),
        ("```py title\nx\n\ny\n```", CodeBlock("py", "x\n\ny")),
        ("    indented", CodeBlock("", "indented")),
        ("```\nopen", CodeBlock("", "open")),
        ("***", ThematicBreak()),
        ("> said\n> > before", BlockQuote((paragraph("said"), BlockQuote((paragraph("before"),))))),
        (
            "3. a\n4. b",
            ListBlock((ListItem((paragraph("a"),)), ListItem((paragraph("b"),))), numbered=True, first=3),
        ),
        ("- [ ] a\n- [x] b", ListBlock((ListItem((paragraph("a"),), " "), ListItem((paragraph("b"),), "x")))),
        ("|a|b|\n|-|-|\n|c\\|d|", TableBlock((plain("a"), plain("b")), ((plain("c|d"), ()),))),
        ("<b>no tag</b>", paragraph("<b>no tag</b>")),
        ("[unused]: http://a.b", paragraph("[unused]: http://a.b")),
    ],
)
def test_a_block_is_a_small_value(markdown, block):
    assert parse(markdown) == (block,)


@pytest.mark.parametrize(
    ("markdown", "run"),
    [
        ("**x**", TextRun("x", BOLD)),
        ("*x*", TextRun("x", ITALIC)),
        ("~~x~~", TextRun("x", STRUCK)),
        ("`<x>`", TextRun("<x>", CODE)),
        ("**`x`**", TextRun("x", BOLD | CODE)),
        ('[x](http://a.b "t")', TextRun("x", address="http://a.b")),
        ("[x](<a b>)", TextRun("x", address="a b")),
        ("[](http://a.b)", TextRun("http://a.b", address="http://a.b")),
        ("![x](http://a.b)", TextRun("x", address="http://a.b")),
        ("[![x](p)](http://a.b)", TextRun("x", address="http://a.b")),
        ("<http://a.b>", TextRun("http://a.b", address="http://a.b")),
        ("[x]\n\n[x]: http://a.b", TextRun("x", address="http://a.b")),
        ("&lt; \\* &amp;", TextRun("< * &")),
        ("**x", TextRun("**x")),
        ("[x](http", TextRun("[x](http")),
    ],
)
def test_words_are_runs_set_alike(markdown, run):
    assert parse(markdown) == (Paragraph((run,)),)


def test_marks_in_marks_end_where_they_end():
    (block,) = parse("**a **b** c** d")
    assert isinstance(block, Paragraph)
    assert block.runs == (TextRun("a ", BOLD), TextRun("b", BOLD), TextRun(" c", BOLD), TextRun(" d"))


def test_markdown_after_a_tag_is_markdown():
    first, second = parse("<details>\n**x**\n\n```\n<i>\n```")
    assert isinstance(first, Paragraph)
    assert first.runs[-1] == TextRun("x", BOLD)
    assert second == CodeBlock("", "<i>")


def test_definitions_that_are_used_go_and_others_stay_where_they_stand():
    used, listing, last = parse("[a] b\n\n[a]: x\n\n- [c]: y\n  d\n\n[^1]: e")
    assert used == Paragraph((TextRun("a", address="x"), TextRun(" b")))
    assert listing == ListBlock((ListItem((paragraph("[c]: y"), paragraph("d"))),))
    assert texts((last,)) == ["[^1]:   ", "e  "]


@settings(deadline=None, max_examples=150)
@given(pieces)
def test_every_word_is_in_the_tree_in_order(parts):
    source = cooked(parts)
    shown = numbered(" ".join(texts(parse(source))))
    wanted = [word for word in numbered(source) if word not in titled(source)]
    assert in_order(wanted, shown), (source, shown)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_has_a_tree(text):
    assert "".join(texts(parse(text))).strip() or not any(map(str.isalnum, text))


@pytest.mark.parametrize("name", HUGE)
def test_what_brings_parsers_down_has_a_tree_of_small_depth(name):
    assert depth(parse(HUGE[name])) <= DEEPEST + 1


def test_a_table_of_nothing_but_missing_cells_is_plain_text():
    assert parse(HUGE["wide table"]) == (paragraph(HUGE["wide table"]),)


def test_words_alone():
    assert plain_text((TextRun("a", BOLD), TextRun("b"))) == "ab"
