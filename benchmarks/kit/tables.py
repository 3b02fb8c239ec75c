"""Results as tables: plain on the screen, Markdown in a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Table:
    """A result; `name` is its place in the document, `note` says how to read it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """As a Markdown table under its title."""
        lines = [self.columns, tuple("---" for _ in self.columns), *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join(part for part in (f"**{self.title}**", table, self.note) if part)

    def plain(self) -> str:
        """In columns of equal width."""
        lines = [self.columns, *self.rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.columns))]
        body = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
        )
        return "\n".join([self.title, *(f"  {line.rstrip()}" for line in body), f"  {self.note}".rstrip()])


def write_tables(document: Path, tables: Sequence[Table]) -> None:
    """Put each table between its markers, `<!-- bench:name -->` and `<!-- /bench:name -->`.

    Raises ValueError when the document has no place for some, once the others are written.
    """
    text = document.read_text(encoding="utf-8")
    without: list[str] = []
    for table in tables:
        begin, end = f"<!-- bench:{table.name} -->", f"<!-- /bench:{table.name} -->"
        before, opened, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (opened and closed):
            without.append(table.name)
            continue
        text = f"{before}{begin}\n{table.markdown()}\n{end}{after}"
    document.write_text(text, encoding="utf-8")
    if without:
        raise ValueError(f"{document} has no place for {', '.join(without)}")
