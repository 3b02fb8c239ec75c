"""The markdown renderer: right, in step with a growing text, and quick on hostile input."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

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
