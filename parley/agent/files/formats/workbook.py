"""Workbooks of Excel: each sheet as a table, no more of it than is asked for."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime, time

import openpyxl

from .archive import rewrite
from .markdown import table
from .result import Result, text_result

Row = list[str]


def read(content: bytes, most: int) -> Result:
    """Return the sheets' values as tables."""
    try:
        return text_result("\n\n".join(_sheets(content, most)), most)
    except TypeError:  # openpyxl refuses a word that some programs misspell
        return text_result("\n\n".join(_sheets(rewrite(content, _corrected), most)), most)


def _corrected(name: str, content: bytes) -> bytes:
    return content.replace(b"showZeroes=", b"showZeros=") if name.startswith("xl/worksheets/") else content


def _sheets(content: bytes, most: int) -> Iterator[str]:
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what a file says of its size is often wrong
        rows = list(_rows(sheet.iter_rows(values_only=True), most))
        most -= sum(len(cell) + 3 for row in rows for cell in row)
        yield f"## {sheet.title}" + (f"\n\n{table(rows)}" if rows else "")
        if most < 0:
            return


def _rows(rows: Iterator[tuple[object, ...]], most: int) -> Iterator[Row]:
    """Yield rows until they are longer than `most`; between them one empty row at a time."""
    begun = blank = False
    for values in rows:
        row = [_shown(value) for value in values]
        while row and not row[-1]:
            row.pop()
        if not row:
            blank = begun
            continue
        if blank:
            yield []
        yield row
        begun, blank = True, False
        most -= sum(len(cell) + 3 for cell in row)
        if most < 0:
            return


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)
