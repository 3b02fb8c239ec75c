"""What people think of answers, over HTTP and from the command line."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from parley.app.cli.main import main
from parley.console.api.feedback import feedback_routes
from parley.core.model.codec import encode
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.ports.journal import Document
from parley.core.state.feedback import feedback_key
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import serving

PATH = "/api/feedback"


async def three(store: SqliteStore) -> None:
    """Two people liked something, one did not; one of it is old."""
    now = time.time()
    for account, choice, at, words in (
        ("slack:U1", FeedbackChoice.UP, now - 40 * 86_400, ""),
        ("slack:U2", FeedbackChoice.DOWN, now - 60, "the year is wrong"),
        ("web:local", FeedbackChoice.UP, now, ""),
    ):
        said = Feedback(account, "turn-1", "slack:C1", choice, at, words, "run-1", "thread-1")
        await store.set(Document(feedback_key(account, "turn-1"), encode(said), 0))


async def test_feedback_is_listed_newest_first(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await three(store)
        async with serving(routes=feedback_routes(store)) as http:
            answer = await http.get(PATH)
            assert answer.headers["cache-control"] == "no-store"
            listed = answer.json()["feedback"]
            assert [each["account"] for each in listed] == ["web:local", "slack:U2", "slack:U1"]
            assert (listed[1]["choice"], listed[1]["comment"]) == ("down", "the year is wrong")
            assert (listed[1]["run_id"], listed[1]["thread"]) == ("run-1", "thread-1")
            recent = (await http.get(f"{PATH}?since={time.time() - 86_400}&limit=1")).json()["feedback"]
            assert [each["account"] for each in recent] == ["web:local"]


@pytest.mark.parametrize("query", ["since=yesterday", "since=-1", "limit=nan", "limit=1e99"])
async def test_what_is_no_number_is_refused(tmp_path: Path, query: str) -> None:
    async with (
        SqliteStore.open(tmp_path / "parley.db") as store,
        serving(routes=feedback_routes(store)) as http,
    ):
        assert (await http.get(f"{PATH}?{query}")).status_code == 422


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text("log_level: warning\n")
    return path


def listed(config: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert main(["feedback", "list", "--config", str(config), *more]) == 0
    return capsys.readouterr().out


def test_the_command_lists_them(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No feedback yet" in listed(config, capsys)

    async def fill() -> None:
        (config.parent / "data").mkdir(exist_ok=True)
        async with SqliteStore.open(config.parent / "data" / "parley.db") as store:
            await three(store)

    asyncio.run(fill())
    out = listed(config, capsys)
    assert "slack:U2" in out
    assert "'the year is wrong'" in out
    assert "slack:U1" not in out, "older than 30 days"
    assert len(listed(config, capsys, "--days", "99").splitlines()) == 3
    lines = listed(config, capsys, "--choice", "bad", "--json").splitlines()
    assert [json.loads(each)["account"] for each in lines] == ["slack:U2"]
    assert listed(config, capsys, "--days", "0").startswith("No feedback in the last 0 days")
