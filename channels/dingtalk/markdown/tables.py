"""Tables for readers whose markdown has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parley.channels.kit.markdown.outline import TableSpan
from parley.channels.kit.markdown.rewrite import TextEdit
from parley.channels.kit.markdown.tables import row_as_line


def tables_as_lists(text: str, tables: Sequence[TableSpan]) -> Iterator[TextEdit]:
    """Return each row of the tables as a list item: every cell behind its column's name."""
    for table in tables:
        line = text.rfind("\n", 0, table.start) + 1
        margin = re.sub(r"[^\s>]", " ", text[line : table.start])
        cells = [[_cell(text[start:end]) for start, end in row] for row in table.rows]
        names, *rows = cells
        items = [f"- {row_as_line(names, row)}" for row in rows] or [f"- {' · '.join(names)}"]
        yield TextEdit(table.start, table.end, f"\n{margin}".join(items) + "\n")


def _cell(source: str) -> str:
    return " ".join(source.replace("\\|", "|").split())
