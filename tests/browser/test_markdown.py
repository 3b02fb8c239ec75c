"""The markdown renderer: right, in step with a growing text, and quick on hostile input."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.tree import (
    Block,
    BlockQuote,
    CodeBlock,
    Heading,
    ListBlock,
    Mark,
    Paragraph,
    TableBlock,
    TextRun,
)
from parley.channels.web.config import Config
from tests.browser.conftest import listen, new_page
from tests.browser.core_script import DOCUMENT
from tests.browser.scripted_core import own_console, running
from tests.kit.doubles.web import MemoryDocuments

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RENDER = """async (texts) => {
  const { renderInto } = await import('/page/markdown/blocks.js');
  const target = document.createElement('div');
  for (const text of texts) renderInto(target, text);
  return target.innerHTML;
}"""
WORDS = RENDER.replace("innerHTML", "textContent")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Page]:
    folder = tmp_path_factory.mktemp("markdown")
    async with running(folder, MemoryDocuments(), own_console(), Config()) as (url, _):
        page = await new_page(browser)
        await page.goto(url)
        yield page
        await page.close()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "a **b** *c* __d__ _e_ ~~f~~",
            "<p>a <strong>b</strong> <em>c</em> <strong>d</strong> <em>e</em> <del>f</del></p>",
        ),
        ("***a***", "<p><strong><em>a</em></strong></p>"),
        ("snake_case_name and 2 * 3 * 4", "<p>snake_case_name and 2 * 3 * 4</p>"),
        ("a\\*b\\*", "<p>a*b*</p>"),
        ("`a ``b` ``c`d``", "<p><code>a ``b</code> <code>c`d</code></p>"),
        ("one\ntwo", "<p>one<br>two</p>"),
        ("## Title ##", "<h2>Title</h2>"),
        ("#hash", "<p>#hash</p>"),
        ("# C#", "<h1>C#</h1>"),
        ("- a\n- b\n\nc", "<ul><li>a</li><li>b</li></ul><p>c</p>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- a\n  - b\n    - c", "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li></ul>"),
        ("> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"),
        ("in\n1984. It was", "<p>in<br>1984. It was</p>"),
        ("***", "<hr>"),
        ("<b>&amp;</b>", "<p>&lt;b&gt;&amp;amp;&lt;/b&gt;</p>"),
        ("[a](javascript:alert(1))", "<p><span>a</span></p>"),
        ("**open", "<p>**open</p>"),
    ],
)
async def test_what_people_write_reads_as_they_meant(page: Page, text: str, html: str) -> None:
    assert await page.evaluate(RENDER, [text]) == html


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("see https://a.example/x_y_z.", "https://a.example/x_y_z"),
        ("(https://a.example/x)", "https://a.example/x"),
        ("https://a.example/(x)", "https://a.example/(x)"),
        ("看https://a.example/x。好", "https://a.example/x"),
        ("[a](https://a.example/w_(x) 'title')", "https://a.example/w_(x)"),
        ("<mailto:a@b.example>", "mailto:a@b.example"),
    ],
)
async def test_links_end_where_they_end(page: Page, text: str, link: str) -> None:
    html = await page.evaluate(RENDER, [text])
    assert f'href="{link}"' in html


async def test_a_text_that_grew_looks_like_one_that_came_whole(page: Page) -> None:
    grown = [DOCUMENT[:end] for end in range(0, len(DOCUMENT), 7)]
    assert await page.evaluate(RENDER, [*grown, DOCUMENT]) == await page.evaluate(RENDER, [DOCUMENT])


@pytest.mark.parametrize(
    "piece",
    [
        "*",
        "**a ",
        "_",
        "`",
        "``a",
        "[",
        "![",
        "[a](",
        "<",
        "> ",
        "- ",
        "1. ",
        "|",
        "|-",
        "~",
        "\\",
        "# ",
        "- - ",
        "http://",
        " \n",
        "```\n",
        "\t- a\n",
    ],
)
async def test_hostile_repetition_is_rendered_within_the_tests_time(page: Page, piece: str) -> None:
    assert await page.evaluate(RENDER, [piece * (60_000 // len(piece))]) is not None


@pytest.mark.parametrize("line", ["a", "> a", "- a", "**a**", "[a](b)", "# a", "| a | b |"])
async def test_a_text_of_very_many_lines_is_shown_whole(page: Page, line: str) -> None:
    start = "| a | b |\n|---|---|\n" if "|" in line else ""
    told = listen(page)
    words = await page.evaluate(WORDS, [start + f"{line}\n" * 70_000])
    assert words.count("a") == 70_000 + bool(start)
    assert told == []


MARKED = """async (text) => {
  const { renderInto } = await import('/page/markdown/blocks.js');
  const target = document.createElement('div');
  renderInto(target, text);
  for (const head of target.querySelectorAll('.code-head')) head.remove();
  const words = (names) => [...target.querySelectorAll(names)].map((each) => each.textContent);
  return { bold: words('strong'), italic: words('em'), code: words('code'), all: [target.textContent] };
}"""


def _runs(blocks: tuple[Block, ...]) -> Iterator[TextRun]:
    for block in blocks:
        match block:
            case Paragraph(runs) | Heading(_, runs):
                yield from runs
            case CodeBlock(_, text):
                yield TextRun(text, frozenset({"code"}))
            case TableBlock(head, rows):
                yield from (run for row in (head, *rows) for cell in row for run in cell)
            case BlockQuote(inner):
                yield from _runs(inner)
            case ListBlock(items):
                yield from (run for item in items for run in _runs(item.blocks))


def _shown(found: dict[str, list[str]]) -> dict[str, str]:
    return {name: "".join("".join(words).split()) for name, words in found.items()}


@pytest.mark.parametrize(
    "text",
    [
        DOCUMENT,
        "**bold *both* bold** and *one* `code *no*` ~~gone~~",
        "1. a **b**\n   - `c`\n\n> quoted *words*\n\n# A `title`",
        "| *a* | **b** |\n|---|---|\n| `c` | d \\| e |",
        "```py\n**no**\n```\n\nafter",
        "snake_case and 2 * 3 * 4, **open",
        "中文**粗体**文字，*斜体*。",
    ],
)
async def test_the_page_reads_a_text_as_the_platforms_are_sent_it(page: Page, text: str) -> None:
    runs = list(_runs(parse(text)))
    marks: tuple[Mark, ...] = ("bold", "italic", "code")
    sent: dict[str, list[str]] = {mark: [run.text for run in runs if mark in run.marks] for mark in marks}
    expected = {**sent, "all": [run.text for run in runs]}
    assert _shown(await page.evaluate(MARKED, text)) == _shown(expected)
