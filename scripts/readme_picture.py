"""`make picture`: make the README's moving picture anew.

A real Parley runs the agent of `scripts/picture/` in a folder of its own. Chromium shows the page, somebody
types, and each change on it becomes a frame, as long as it was to be seen. It needs Debian's "chromium
fonts-noto-core fonts-noto-color-emoji".
"""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

_ROOT = Path(__file__).parents[1]
_TARGET = _ROOT / "docs" / "images" / "parley.webp"
_CHROMIUM = os.environ.get("PARLEY_TEST_CHROMIUM", "/usr/bin/chromium")
_SIZE = {"width": 760, "height": 680}
_ORDER = "Where is order 4711? If it is lost, please refund it."
_PATIENCE = 60.0
_LAST = 3000
"""Milliseconds that the end is to be seen."""


@dataclass
class Film:
    """The frames of a page, with the moment when each was first seen."""

    page: Page
    frames: list[tuple[float, bytes]] = field(default_factory=list)

    def look(self) -> None:
        """Take a frame, if the page has changed."""
        shot = self.page.screenshot(animations="allow", caret="initial")
        if not self.frames or self.frames[-1][1] != shot:
            self.frames.append((time.monotonic(), shot))

    def until(self, seen: str, *, rest: float = 0.0) -> None:
        """Film until an element is there, and some seconds more. Raises TimeoutError."""
        end = time.monotonic() + _PATIENCE
        while not self.page.locator(seen).first.is_visible():
            if time.monotonic() > end:
                raise TimeoutError(f"the page never showed {seen}")
            self.look()
        self.film(rest)

    def film(self, seconds: float) -> None:
        """Film for some seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()

    def save(self, path: Path) -> None:
        """Write the moving picture."""
        moments = [moment for moment, _ in self.frames]
        lasting = [int(1000 * (after - before)) for before, after in itertools.pairwise(moments)]
        images = [Image.open(io.BytesIO(shot)).convert("RGB") for _, shot in self.frames]
        path.parent.mkdir(parents=True, exist_ok=True)
        images[0].save(
            path,
            save_all=True,
            append_images=images[1:],
            duration=[*lasting, _LAST],
            loop=0,
            quality=70,
            method=6,
        )


@contextmanager
def parley() -> Iterator[str]:
    """Run Parley with the picture's agent; yield the address of its page."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="parley-picture-") as folder:
        shutil.copytree(_ROOT / "scripts" / "picture", folder, dirs_exist_ok=True)
        shutil.copy(_ROOT / "examples" / "offline" / "offline_model.py", folder)
        Path(folder, "langgraph.json").write_text(
            json.dumps({"graphs": {"agent": "./agent.py:graph"}}), "utf-8"
        )
        Path(folder, "config.yaml").write_text(f"console:\n  port: {port}\n", "utf-8")
        command = [sys.executable, "-m", "parley", "run"]
        clean = {name: value for name, value in os.environ.items() if not name.endswith(("_TOKEN", "_KEY"))}
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=clean | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(_ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield _address(process)
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def _address(process: subprocess.Popen[str]) -> str:
    printed = []
    for line in process.stdout or ():
        printed.append(line)
        if found := re.search(r"Open (http\S+)", line):
            return found[1]
    raise RuntimeError("Parley did not start:\n" + "".join(printed))


def act(page: Page, film: Film) -> None:
    """Ask for something, watch it being done, and approve what has to be approved."""
    film.film(1.0)
    page.locator("#write").focus()
    for character in _ORDER:
        page.keyboard.type(character)
        film.film(0.03)
    film.film(0.4)
    page.keyboard.press("Enter")
    film.until(".entry.asks button", rest=2.2)
    page.get_by_role("button", name="Approve").hover()
    film.film(0.6)
    page.get_by_role("button", name="Approve").click()
    film.until("text=Done:")
    film.until(".entry.agent:last-of-type:not(.growing)", rest=5.0)


def main(arguments: list[str]) -> int:
    """Make the picture; return the exit status."""
    target = Path(arguments[0]) if arguments else _TARGET
    with parley() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=_SIZE, locale="en-GB", color_scheme="light")
        page.goto(address)
        page.locator("#write").wait_for()
        film = Film(page)
        act(page, film)
        browser.close()
    film.save(target)
    print(f"{len(film.frames)} frames, {target.stat().st_size:,} bytes: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
