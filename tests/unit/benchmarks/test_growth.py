"""Stores that are multiplied for measurements."""

from contextlib import closing

import pytest

from benchmarks.growth.multiply import SqliteEngine, multiply
from benchmarks.growth.seed import seed
from benchmarks.kit.child_process import agent_server
from parley.store.sqlite import SqliteStore
from tests.kit.product.grown_store import CONVERSATIONS, check_grown


async def test_people_of_a_multiplied_file_are_found_as_those_who_talked(tmp_path):
    path = tmp_path / "parley.db"
    with agent_server() as (agent, _):
        await seed(str(path), agent, tmp_path)
    with closing(SqliteEngine.open(str(path)).connection) as connection:
        multiply(SqliteEngine(connection), CONVERSATIONS)
    async with SqliteStore.open(path) as store:
        await check_grown(store)


def test_a_store_grows_by_whole_copies(tmp_path):
    with closing(SqliteEngine.open(str(tmp_path / "parley.db")).connection) as connection:
        for conversations in (50, 150, 0):
            with pytest.raises(ValueError, match="not a multiple of 100"):
                multiply(SqliteEngine(connection), conversations)
