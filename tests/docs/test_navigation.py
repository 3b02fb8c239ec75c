"""The site's navigation: each page has its place."""

from __future__ import annotations

import runpy
from collections import Counter
from typing import Any

import yaml

from tests.kit.checkout import ROOT

PLANNED: set[str] = set()
"""Pages that have a place before they are there: the site leaves their entries out."""
SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "docs_site.py"))
CONFIG = yaml.safe_load((ROOT / "docs" / "site" / "mkdocs.yml").read_text("utf-8"))
PAGES = sorted(place for place in SCRIPT["sources"]().values() if place.endswith(".md"))


def test_each_page_has_one_place() -> None:
    filled = SCRIPT["navigation"](CONFIG["nav"], PAGES)
    assert "More" not in filled[-1], f"add a line under nav in docs/site/mkdocs.yml: {filled[-1]}"
    counts = Counter(SCRIPT["_named"](filled))
    assert {page for page, count in counts.items() if count > 1} == set()
    assert set(counts) == set(PAGES)


def test_nothing_is_named_that_does_not_exist() -> None:
    named = {each for each in SCRIPT["_named"](CONFIG["nav"]) if not each.endswith("*.md")}
    assert named - set(PAGES) <= PLANNED


def test_a_page_without_a_place_is_not_lost() -> None:
    nav = [{"Start": ["index.md", {"All": ["more/*.md"]}]}, {"Empty": ["gone.md"]}]
    pages = ["index.md", "more/a.md", "more/b.md", "other.md"]
    assert SCRIPT["navigation"](nav, pages) == [
        {"Start": ["index.md", {"All": ["more/a.md", "more/b.md"]}]},
        {"More": ["other.md"]},
    ]


def test_links_are_those_of_the_site_and_code_stays() -> None:
    places = {
        "README.md": "index.md",
        "docs/a.md": "a.md",
        "docs/zh/a.md": "zh/a.md",
        "LICENSE": "license.txt",
    }
    text = "[a](docs/a.md#x) ![p](docs/zh/a.md) `[a](docs/a.md)`\n[l](LICENSE) [w](https://example.org/docs/a.md)"
    assert SCRIPT["linked"](text, "README.md", places) == (
        "[a](a.md#x) ![p](zh/a.md) `[a](docs/a.md)`\n[l](license.txt) [w](https://example.org/docs/a.md)"
    )
    assert SCRIPT["linked"]("[up](../../README.md)", "docs/zh/a.md", places) == "[up](../index.md)"
