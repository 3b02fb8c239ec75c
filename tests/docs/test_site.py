"""The documents as a site: built strictly, read in Chromium from the disk, with no network at all."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.kit.checkout import ROOT
from tests.kit.machine import patience

pytestmark = [pytest.mark.site, pytest.mark.timeout(300)]

PYTHON = ROOT / ".venv-docs" / "bin" / "python"
SCRIPT = ROOT / "scripts" / "docs_site.py"


def build(target: Path) -> subprocess.CompletedProcess[str]:
    command = [str(PYTHON), str(SCRIPT), str(target)]
    return subprocess.run(command, capture_output=True, text=True, timeout=patience(120), check=False)


def test_the_api_document_is_openapi() -> None:
    """Ask the validator of its own community."""
    command = [str(PYTHON), "-m", "openapi_spec_validator", str(ROOT / "docs" / "openapi.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience(60), check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    built = build(folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        launched = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=1000 * patience(30)
        )
        yield launched
        launched.close()


def test_every_page_is_read_from_the_disk_and_asks_no_network(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: said.append(str(error)))
    for file in sorted(site.rglob("*.html")):
        page.goto(file.as_uri(), wait_until="load")
        assert page.locator("h1").first.inner_text().strip()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    page.close()


def test_the_search_finds_a_heading_without_a_server(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.set_default_timeout(1000 * patience(30))
    page.goto((site / "index.html").as_uri())
    page.locator(".md-search__button").click()
    field = page.get_by_role("combobox").or_(page.locator("input[placeholder='Search']")).last
    field.fill("dead letters")
    page.locator("a[href*='running.html']").filter(has_text="Dead letters").first.wait_for()
    page.close()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("[gone](gone.md)", "page does not exist"),
        ("[gone](running.md#gone)", "anchor does not exist"),
        ('<img src="https://example.org/a.png" alt="">', "load something from elsewhere"),
    ],
)
def test_a_page_that_is_wrong_is_not_built(tmp_path: Path, wrong: str, said: str) -> None:
    copy = tmp_path / "checkout"
    for folder in ("docs", "examples", "scripts"):
        shutil.copytree(ROOT / folder, copy / folder)
    for file in (*ROOT.glob("*.md"), ROOT / "LICENSE", ROOT / "config.yaml"):
        shutil.copyfile(file, copy / file.name)
    glossary = copy / "docs" / "glossary.md"
    glossary.write_text(f"{glossary.read_text('utf-8')}\n{wrong}\n", "utf-8")
    command = [str(PYTHON), str(copy / "scripts" / "docs_site.py"), str(tmp_path / "site")]
    built = subprocess.run(command, capture_output=True, text=True, timeout=patience(120), check=False)
    assert built.returncode != 0
    assert said in built.stdout + built.stderr
    assert not (tmp_path / "site").exists()
