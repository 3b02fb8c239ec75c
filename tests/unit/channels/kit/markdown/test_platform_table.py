"""What the documentation says of markdown is what is sent."""

from __future__ import annotations

from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.tree import TableBlock
from tests.unit.channels.kit.markdown.platform_table import ELEMENTS, PART, PLATFORMS, shown, table


def test_the_documented_markdown_is_the_markdown_that_is_sent() -> None:
    PART.check(table())


def test_the_table_reads_as_a_table_of_every_element_on_every_platform() -> None:
    table, _ = (block for block in parse(PART.path.read_text("utf-8")) if isinstance(block, TableBlock))
    assert len(table.rows) == len(ELEMENTS)
    assert all(cell for row in (table.head, *table.rows) for cell in row)
    assert all(len(shown(markdown)) == len(PLATFORMS) for markdown in ELEMENTS.values())
