"""procrastinate as a queue of turns: a job a turn, one at a time for each conversation.

It comes with the dependency group "nodes": `.venv/bin/python -m pip install --group nodes`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any


def made(url: str, turn: Callable[[], Awaitable[None]]) -> Any:  # noqa: ANN401 - it is not installed usually
    """Its application on the database at `url`, whose one task is `turn`."""
    procrastinate = import_module("procrastinate")
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    async def task(message: str) -> None:
        await turn()

    app.task(name="turn")(task)
    return app


async def fill(url: str, messages: int) -> None:
    """Make its tables, and wait in them a job for each message, in a conversation of its own."""
    app = made(url, _nothing)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for number in range(messages):
            task = app.configure_task("turn", lock=f"null:person-{number}")
            await task.defer_async(message="x" * 600)


async def _nothing() -> None:
    """Whoever only fills does nothing."""
