"""What earlier Parleys left: a conversation, an answer that was being written, and a message that waited.

The dumps in `stores/` were made once, by the code of the last commit with each schema: it answered a message
with the demonstration, began to answer the next, took one in another conversation, and was killed. SQLite's
are `.dump` of `parley.db` and `agent.db`, PostgreSQL's `pg_dump --inserts --schema=parley`.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from tests.kit.product.process import Config, Process, way_in
from tests.kit.waiting import until

STORES = Path(__file__).with_name("stores")
CONFIG: Config = {"manager": {"max_message_age": 0}}
"""The messages are as old as the dumps, and are to be answered all the same."""

Look = Callable[[str], dict[str, Any]]


def recorded(engine: str) -> set[int]:
    """The schema versions of which there is a dump."""
    return {int(path.name.split("-")[1].split(".")[0]) for path in STORES.glob(f"{engine}-*.sql")}


def load_sqlite(path: Path, dump: str) -> None:
    """Make a database of a dump."""
    path.parent.mkdir(exist_ok=True)
    made = sqlite3.connect(path)
    made.executescript((STORES / dump).read_text("utf-8"))
    made.close()


def assert_everything_goes_on(process: Process) -> None:
    """Wait for the answers that were owed; what was answered before stays as it was."""
    with httpx.Client(**way_in(process.wait_until_up())) as client:

        def look(path: str) -> dict[str, Any]:
            return dict(client.get(path).raise_for_status().json())

        _wait(lambda: len(_answers(look, "from-before")) == 2, "the answer that was begun")
        first, second = _answers(look, "from-before")
        assert (first["reply_to"], second["reply_to"]) == ("message-0001", "message-0002")
        assert "You said: My name is Ada and I like tea." in first["text"]
        assert second["text"].startswith("# A long document")
        _wait(lambda: len(_answers(look, "waiting-chat")) == 1, "the answer to what waited")
        (late,) = _answers(look, "waiting-chat")
        assert "It is" in late["text"] or "UTC" in late["text"], late
        _wait(lambda: "Ada" in str(look("/api/memory")["facts"]), "what was to be learned")


def _wait(holds: Callable[[], object], what: str) -> None:
    asyncio.run(until(holds, what, 60))


def _answers(look: Look, chat: str) -> list[dict[str, Any]]:
    entries = look(f"/api/chat/conversations/{chat}/messages")["entries"]
    return [each for each in entries if each["role"] == "agent" and each["final"]]
