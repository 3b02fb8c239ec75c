"""A database that is moved, deleted or replaced under a running Parley: nothing is lost without a word."""

import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.kit.product.process import PATIENCE, way_in
from tests.kit.product.scene import begin, end
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]


def move(path: Path) -> None:
    path.rename(path.with_suffix(".away"))


def replace_by_copy(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


def delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


@pytest.mark.parametrize(
    ("mishap", "name"),
    [
        (move, "parley.db"),
        (Path.unlink, "parley.db"),
        (replace_by_copy, "parley.db"),
        (Path.unlink, "parley.db-wal"),
        (delete_folder, "parley.db"),
    ],
)
def test_nothing_is_acknowledged_and_the_process_ends(
    mishap: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    process = begin(tmp_path, {"store": {}})
    try:
        person = WebPerson(process.wait_until_up())
        assert person.ask("Hello").text.endswith("You said: Hello")
        person.close()
        mishap(tmp_path / "data" / name)
        taken = []
        try:
            with httpx.Client(**way_in(process.url), timeout=PATIENCE) as http:
                while True:
                    body = {"id": uuid4().hex, "text": "into nothing"}
                    posted = http.post("/api/chat/conversations/chat-0002/messages", json=body)
                    taken.append(posted.status_code)
                    taken.append(http.get("/readyz").status_code)
        except httpx.TransportError:
            pass  # it has ended
        assert set(taken) <= {503}
        assert process.wait() == 2  # whoever supervises it must not start it on an empty database
    finally:
        end(process)
    lines = [line for line in process.log.splitlines() if line.startswith("parley: ")]
    assert len(lines) == 1
    assert f"data/{name}: was " in lines[0]
    assert "start Parley again" in lines[0]
    assert "Traceback" not in process.log


def test_the_agents_database_is_watched_too(tmp_path: Path) -> None:
    process = begin(tmp_path, {"store": {}})
    try:
        process.wait_until_up()
        (tmp_path / "data" / "agent.db").unlink()
        assert process.wait() == 2
    finally:
        end(process)
    assert "data/agent.db: was moved or deleted while Parley runs" in process.log
