"""Clients of LangGraph in JavaScript, in Node and in a browser, on our agent server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.async_api import async_playwright, expect

from tests.conformance.servers import KEY, embedded
from tests.kit.engine import NAMES, opened
from tests.kit.machine import patience
from tests.vendors.node_bot import SDKS

pytestmark = pytest.mark.vendors

_HERE = Path(__file__).parent
_MODULES = SDKS / "node_modules"
_CHROMIUM = os.environ.get("PARLEY_TEST_CHROMIUM", "/usr/bin/chromium")


@pytest.mark.parametrize("name", NAMES)
def test_programs_find_what_they_ask_for(tmp_path: Path, name: str) -> None:
    with opened(name) as engine, embedded(tmp_path, engine=engine) as server:
        told: dict[str, Any] = json.loads(
            subprocess.run(
                ["node", str(_HERE / "agent_client.mjs")],
                env=os.environ
                | {"NODE_PATH": str(_MODULES), "AGENT_URL": server.url, "AGENT_KEY": server.key or ""},
                capture_output=True,
                text=True,
                check=True,
                timeout=patience(60),
            ).stdout
        )
    assert told["versions"] == [2, 1]
    assert told["drawn"] == ["__start__", "model", "__end__"]
    assert told["events"] == ["debug", "end", "metadata", "updates"]
    assert told["copied"][-1].startswith("user=js ")
    assert (told["late"], told["threads"]) == ("interrupted", 2)


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_of_another_origin_chats_if_it_is_named(tmp_path: Path, name: str) -> None:
    _bundle(tmp_path / "page")
    with (
        _pages(tmp_path / "page") as named,
        _pages(tmp_path / "page") as other,
        opened(name) as engine,
        embedded(tmp_path, (named,), engine=engine) as server,
    ):
        _settings(tmp_path / "page", server.url)
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
            page = await browser.new_page()
            await page.goto(named)
            await expect(page).to_have_title("allowed", timeout=patience(30_000))
            await page.click("#say")
            await expect(page.locator("#asked")).not_to_have_text("null", timeout=patience(30_000))
            await page.click("#answer")
            await expect(page.locator("#said")).to_contain_text("yes", timeout=patience(30_000))
            await expect(page.locator("#history")).not_to_have_text("", timeout=patience(30_000))
            assert await page.inner_text("#error") == ""
            await page.goto(other)
            await expect(page).to_have_title("refused", timeout=patience(30_000))
            await browser.close()


def _bundle(folder: Path) -> None:
    folder.mkdir()
    command = [str(_MODULES / ".bin" / "esbuild"), str(_HERE / "agent_page.mjs"), "--bundle", "--format=esm"]
    command += [f"--outfile={folder / 'page.js'}", '--define:process.env.NODE_ENV="production"']
    environment = os.environ | {"NODE_PATH": str(_MODULES)}
    subprocess.run([*command, "--log-level=error"], env=environment, check=True, timeout=patience(60))


def _settings(folder: Path, url: str) -> None:
    settings = json.dumps({"url": url, "key": KEY, "assistant": "ask"})
    (folder / "index.html").write_text(
        '<!doctype html><div id="root"></div>'
        f'<script id="settings" type="application/json">{settings}</script>'
        '<script type="module" src="page.js"></script>'
    )


@contextmanager
def _pages(folder: Path) -> Iterator[str]:
    """Serve a folder; yields the origin of its pages."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        return
