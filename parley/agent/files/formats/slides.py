"""Presentations of PowerPoint as Markdown: titles, texts, tables, charts, names of pictures, and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence

import pptx
from pptx.chart.chart import Chart
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.shapes.picture import Picture
from pptx.slide import Slide

from .markdown import table
from .result import Result, text_result

_NOT_IN_ALT = re.compile(r"[\s\[\]]+")


def read(content: bytes, most: int) -> Result:
    """Return the text of the slides, up to the one that fills it."""
    parts: list[str] = []
    length = 0
    for number, slide in enumerate(pptx.Presentation(io.BytesIO(content)).slides, 1):
        parts.append(f"<!-- Slide number: {number} -->\n{_slide(slide)}".rstrip())
        length += len(parts[-1])
        if length > most:
            break
    return text_result("\n\n".join(parts), most)


def _slide(slide: Slide) -> str:
    title = slide.shapes.title
    parts = [part for shape in _ordered(slide.shapes) for part in _shape(shape, title)]
    if notes := _notes(slide).strip():
        parts.append(f"\n### Notes:\n{notes}")
    return "\n".join(parts)


def _notes(slide: Slide) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return frame.text if frame is not None else ""


def _ordered(shapes: Iterable[BaseShape]) -> list[BaseShape]:
    """Return shapes from the top to the bottom, and then from the left."""
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))  # a group may have no place


def _shape(shape: BaseShape, title: Shape | None) -> Iterator[str]:
    if isinstance(shape, GroupShape):
        for each in _ordered(shape.shapes):
            yield from _shape(each, title)
    elif isinstance(shape, Picture):
        yield _picture(shape)
    elif isinstance(shape, GraphicFrame) and shape.has_table:
        yield table([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif isinstance(shape, GraphicFrame) and shape.has_chart:
        yield _chart(shape.chart)
    elif isinstance(shape, Shape):
        text = shape.text_frame.text
        yield text if shape != title else f"# {text.lstrip()}" if text.strip() else ""


def _picture(shape: Picture) -> str:
    described = shape.element.xpath("./p:nvPicPr/p:cNvPr/@descr")
    alt = _NOT_IN_ALT.sub(" ", next(iter(described), "").strip() or shape.name).strip()
    return f"\n![{alt}]({re.sub(r'[^0-9A-Za-z_]', '', shape.name)}.jpg)"


def _chart(chart: Chart) -> str:
    named = chart.has_title and chart.chart_title.has_text_frame
    title = f"\n### Chart: {chart.chart_title.text_frame.text}" if named else "\n### Chart"
    try:
        columns = [(series.name, list(series.values)) for series in chart.series]
        categories = [str(category.label) for category in chart.plots[0].categories]
    except (ValueError, AttributeError, IndexError, TypeError):  # a kind that the library does not know
        return "\n[unsupported chart]\n"
    rows = [["Category", *(name for name, _ in columns)]]
    for place, category in enumerate(categories):
        rows.append([category, *(_value(values, place) for _, values in columns)])
    return f"{title}\n\n{table(rows)}"


def _value(values: Sequence[float | None], place: int) -> str:
    value = values[place] if place < len(values) else None
    return "" if value is None else str(value)
