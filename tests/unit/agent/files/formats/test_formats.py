"""What of each kind of document becomes text."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

import openpyxl
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from parley.agent.files.formats import epub, page, slides, word, workbook
from parley.agent.files.formats.archive import rewrite
from parley.agent.files.formats.result import ReadRefused
from tests.kit.samples import office_files

MOST = 10_000
DAY = datetime(2026, 11, 23)  # noqa: DTZ001 - a cell has no time zone


def saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()


def test_a_workbook_tells_values_of_all_sheets_and_no_formulas() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["名称", "day"], ["a|b\nc", DAY], [], [], ["=1+1", 0.5]):
        sheet.append(row)
    hidden = book.create_sheet("hidden")
    hidden.sheet_state = "hidden"
    hidden.append(["x"])
    book.create_sheet("empty")
    _, text = workbook.read(saved(book), MOST)
    assert text.decode() == (
        "## Sheet\n\n| 名称 | day |\n| --- | --- |\n| a\\|b c | 2026-11-23 |\n|  |  |\n|  | 0.5 |\n\n"
        "## hidden\n\n| x |\n| --- |\n\n## empty"
    )


def test_a_workbook_of_a_program_that_misspells_is_read() -> None:
    def misspelt(name: str, content: bytes) -> bytes:
        return content.replace(b"<sheetView ", b'<sheetView showZeroes="1" ')

    book = openpyxl.Workbook()
    book.active.append(["x"])
    _, text = workbook.read(rewrite(saved(book), misspelt), MOST)
    assert text.decode() == "## Sheet\n\n| x |\n| --- |"


def test_slides_come_with_tables_charts_and_notes() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Plan 计划"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(5), Inches(1)).table
    for place, text in enumerate(("what", "when", "all", "now")):
        table.cell(place // 2, place % 2).text = text
    numbers = CategoryChartData()
    numbers.categories = ["East", "West"]
    numbers.add_series("Sold", (1.5, None))
    spot = Inches(1), Inches(4), Inches(4), Inches(3)
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *spot, numbers)
    slide.notes_slide.notes_text_frame.text = "Say hello."
    deck.slides.add_slide(deck.slide_layouts[6])
    _, told = slides.read(saved(deck), MOST)
    assert told.decode() == (
        "<!-- Slide number: 1 -->\n# Plan 计划\n| what | when |\n| --- | --- |\n| all | now |\n\n"
        "### Chart\n\n| Category | Sold |\n| --- | --- |\n| East | 1.5 |\n| West |  |\n\n"
        "### Notes:\nSay hello.\n\n<!-- Slide number: 2 -->"
    )


def test_a_book_tells_its_title_and_its_chapters_in_order() -> None:
    container = '<container><rootfiles><rootfile full-path="O/c.opf"/></rootfiles></container>'
    about = "<dc:title>书</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator>"
    items = '<item id="1" href="a%20b.html"/><item id="2" href="c.html"/>'
    order = '<itemref idref="2"/><itemref idref="1"/>'
    contents = f"<metadata>{about}</metadata><manifest>{items}</manifest><spine>{order}</spine>"
    content = office_files.package(
        **{
            "META-INF__container_dot_xml": container,
            "O__c_dot_opf": f'<package xmlns:dc="http://purl.org/dc/elements/1.1/">{contents}</package>',
            "O__a b_dot_html": "<body><p>last",
            "O__c_dot_html": "<body><h1>First</h1>",
        }
    )
    _, text = epub.read(content, MOST)
    assert text.decode() == "**Title:** 书\n**Authors:** A, B\n\n# First\n\nlast"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            '<a href="javascript:x()">a</a> <a href="/b c/%20">b</a> <a href="http://[">c</a>',
            "a [b](/b%20c/%20) c",
        ),
        (
            '<img alt="a" src="data:image/png;base64,AAAA"><img src="data:," data-src="b.png">',
            "![a](data:image/png;base64...)![](b.png)",
        ),
        ("<input type=checkbox checked>a <u>b</u> <strike>c</strike><input>", "[x] a <u>b</u> ~~c~~"),
        ("<table><tr><th>a</th></tr><tr><td>1</td></tr></table>", "| a |\n| --- |\n| 1 |"),
        ("<div>" * 3000 + "deep", "deep"),
    ],
    ids=["links", "pictures", "marks", "table", "too deep"],
)
def test_a_page_is_markdown(html: str, text: str) -> None:
    assert page.read(html.encode(), MOST) == ("text/plain", text.encode())


def test_a_document_without_the_name_of_a_style_is_read() -> None:
    styles = '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style/></w:styles>'
    content = rewrite(office_files.docx("words"), lambda name, entry: entry)
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("word/styles.xml", styles)
    assert word.read(file.getvalue(), MOST) == ("text/plain", b"words")


def test_what_has_no_text_is_refused() -> None:
    with pytest.raises(ReadRefused) as refused:
        page.read(b"<html> </html>", MOST)
    assert refused.value.args == ("empty",)
