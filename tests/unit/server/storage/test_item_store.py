"""Items of the store are found by meaning, as LangGraph's own store in memory finds them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import InternalServerError, UnprocessableEntityError

from parley.core.model.errors import ConfigError
from parley.server.options import EmbeddedOptions
from parley.server.storage.store_index import StoreIndex
from tests.kit.engine import CHOSEN
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.unit.server.conftest import Served
from tests.unit.server.test_app import HI

WORDS = ("tea", "coffee", "cat", "dog", "blue")


async def embed(texts: Sequence[str]) -> list[list[float]]:
    """Count words that mean something: near is who speaks of the same."""
    return [[1.0 + 10 * text.lower().count(word) for word in WORDS] for text in texts]


@pytest.fixture(scope="session")
def lacking() -> str:
    """Why the chosen engine cannot keep vectors here, "" where it can."""
    return CHOSEN.engine().lacks_vectors()


@pytest.fixture
def _vectors(lacking: str) -> None:
    if lacking:
        pytest.skip(lacking)


needs_vectors = pytest.mark.usefixtures("_vectors")
INDEX = StoreIndex(embed, "words", len(WORDS))
ITEMS: dict[str, dict[str, Any]] = {
    "a": {"text": "I drink tea", "note": "blue"},
    "b": {"text": "coffee, coffee", "note": "tea"},
    "c": {"text": "the cat and the dog"},
    "d": {"text": "nothing of note", "tags": ["cat", "tea"]},
}


def indexed(folder: Path, index: StoreIndex | None = INDEX) -> EmbeddedOptions:
    return EmbeddedOptions(folder / "agent.sqlite", {"echo": graphs.echo}, store_index=lambda: index)


async def filled(client: LangGraphClient) -> None:
    for key, value in ITEMS.items():
        await client.store.put_item(["notes", "ada"], key, value)


def found(answer: Any) -> list[tuple[str, float | None]]:  # noqa: ANN401 - of the SDK and of the library
    own = not isinstance(answer, dict)
    items = [{"key": each.key, "score": each.score} for each in answer] if own else answer["items"]
    return [(each["key"], each["score"] and round(each["score"], 4)) for each in items]


@needs_vectors
@pytest.mark.parametrize("fields", [("$",), ("text",), ("text", "note"), ("tags[*]", "note")])
@pytest.mark.parametrize("query", ["tea", "cats", "blue coffee"])
async def test_it_ranks_as_the_librarys_own_store(
    served: Served, tmp_path: Path, fields: tuple[str, ...], query: str
) -> None:
    own = InMemoryStore(index={"dims": len(WORDS), "embed": embed, "fields": [*fields]})
    for key, value in ITEMS.items():
        await own.aput(("notes", "ada"), key, value)
    wanted = found(await own.asearch(("notes",), query=query, limit=3))
    async with served(indexed(tmp_path, replace(INDEX, fields=fields))) as client:
        await filled(client)
        scored = found(await client.store.search_items(["notes"], query=query, limit=3))
        # The library's store in memory fills up with what has no vector; that in SQLite does not.
        near = [each for each in wanted if each[1] is not None]
        assert [score for _, score in scored] == [score for _, score in near]
        assert scored[0] in near
        assert (await client.store.search_items(["notes"]))["items"][0]["score"] is None


@needs_vectors
async def test_a_vector_goes_with_what_it_is_of(served: Served, tmp_path: Path) -> None:
    async with served(indexed(tmp_path)) as client:
        store = client.store
        await filled(client)
        await store.put_item(["notes"], "hidden", {"text": "tea tea"}, index=False)
        await store.put_item(["notes"], "part", {"text": "tea", "title": "dog"}, index=["title"])
        keys = [key for key, _ in found(await store.search_items(["notes"], query="tea", limit=100))]
        assert "hidden" not in keys
        assert keys.index("part") > keys.index("a")
        await store.put_item(["notes", "ada"], "a", {"text": "dog dog"}, index=False)
        await store.delete_item(["notes", "ada"], "b")
        keys = [key for key, _ in found(await store.search_items(["notes"], query="tea", limit=100))]
        assert sorted(keys) == ["c", "d", "part"]
    async with served(indexed(tmp_path, None)) as client:  # also when nothing is found by meaning any more
        await client.store.delete_item(["notes", "ada"], "c")
    assert with_vectors(tmp_path) == {"d", "part"}


def with_vectors(folder: Path) -> set[str]:
    """The items of which vectors are kept."""
    url, query = CHOSEN.engine().section(folder).get("url"), "SELECT key FROM {}store_vectors"
    if not url:
        with closing(sqlite3.connect(folder / "agent.sqlite")) as database:
            return {row[0] for row in database.execute(query.format(""))}
    import psycopg

    with psycopg.connect(url) as connection:
        return {row[0] for row in connection.execute(query.format("parley_agent.").encode())}


@needs_vectors
async def test_what_is_put_while_there_is_no_embedder_has_no_earlier_meaning(
    served: Served, tmp_path: Path
) -> None:
    async with served(indexed(tmp_path)) as client:
        await filled(client)
    async with served(indexed(tmp_path, None)) as client:
        await client.store.put_item(["notes", "ada"], "a", {"text": "dog"})
    assert with_vectors(tmp_path) == {"b", "c", "d"}


@needs_vectors
async def test_a_graph_finds_by_meaning_too(served: Served, tmp_path: Path) -> None:
    async def look(_: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
        assert runtime.store is not None
        await runtime.store.aput(("g",), "k", {"text": "a dog"})
        near = await runtime.store.asearch((), query="cats and dogs", limit=1)
        return {"messages": [("ai", near[0].key)]}

    builder: Any = StateGraph(MessagesState)
    graph = builder.add_node("look", look).add_edge(START, "look").compile()
    async with served(replace(indexed(tmp_path), graphs={"look": graph})) as client:
        await filled(client)
        state: Any = await client.runs.wait(None, "look", input=HI, raise_error=True)
        assert state["messages"][-1]["content"] == "c"


@needs_vectors
async def test_an_embedder_that_is_away_holds_up_nobody(served: Served, tmp_path: Path) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def slow(texts: Sequence[str]) -> list[list[float]]:
        if "slow" in texts[0]:
            asked.set()
            await answer.wait()
            raise ConnectionError("refused")
        return await embed(texts)

    async with served(indexed(tmp_path, replace(INDEX, embed=slow))) as client:
        waiting = asyncio.create_task(client.store.put_item(["n"], "slow", {"text": "slow"}))
        async with asyncio.timeout(patience(30)):
            try:
                await asked.wait()
                await filled(client)
                assert len(found(await client.store.search_items(["notes"], query="tea"))) == len(ITEMS)
                await client.runs.wait(None, "echo", input=HI)
            finally:
                answer.set()
            with pytest.raises(InternalServerError, match="does not answer: ConnectionError"):
                await waiting
            with pytest.raises(InternalServerError, match="does not answer"):
                await client.store.search_items([], query="slow")
        assert await client.store.get_item(["n"], "slow") is None


@needs_vectors
@pytest.mark.parametrize(
    "wrong", [lambda texts: [], lambda texts: [[1.0]] * len(texts), lambda texts: [[1.0] * 5, [1.0] * 4]]
)
async def test_vectors_of_another_shape_are_refused(
    served: Served, tmp_path: Path, wrong: Callable[[Sequence[str]], list[list[float]]]
) -> None:
    async def embedder(texts: Sequence[str]) -> list[list[float]]:
        return wrong(texts)

    index = replace(INDEX, embed=embedder, fields=("a", "b"))
    async with served(indexed(tmp_path, index)) as client:
        with pytest.raises(InternalServerError, match="embedder"):
            await client.store.put_item(["n"], "k", {"a": "x", "b": "y"})
        assert await client.store.get_item(["n"], "k") is None


@needs_vectors
async def test_too_many_texts_are_refused(served: Served, tmp_path: Path) -> None:
    async with served(indexed(tmp_path, replace(INDEX, fields=("a[*]",)))) as client:
        with pytest.raises(UnprocessableEntityError, match="at most 100"):
            await client.store.put_item(["n"], "k", {"a": [str(number) for number in range(101)]})


@needs_vectors
async def test_vectors_of_another_model_are_not_compared(
    served: Served, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(indexed(tmp_path)) as client:
        await filled(client)

    async def other(texts: Sequence[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]

    async with served(indexed(tmp_path, StoreIndex(other, "lengths", 2))) as client:
        assert found(await client.store.search_items(["notes"], query="tea")) == []
        assert "put again" in caplog.text
        await filled(client)
        assert len(found(await client.store.search_items(["notes"], query="tea"))) == len(ITEMS)
    async with served(indexed(tmp_path, StoreIndex(other, "lengths", 2))) as client:
        assert len(found(await client.store.search_items(["notes"], query="tea"))) == len(ITEMS)


async def test_where_no_vectors_can_be_kept_that_is_told(
    served: Served, tmp_path: Path, lacking: str
) -> None:
    if not lacking:
        pytest.skip("vectors can be kept here")
    with pytest.raises(ConfigError, match=f"agent_server.store_index: {lacking}; leave it empty"):
        async with served(indexed(tmp_path)):
            pass


async def test_a_project_goes_on_without(
    served: Served, tmp_path: Path, lacking: str, caplog: pytest.LogCaptureFixture
) -> None:
    if not lacking:
        pytest.skip("vectors can be kept here")
    async with served(indexed(tmp_path, replace(INDEX, optional=True))) as client:
        await filled(client)
        items = (await client.store.search_items(["notes"], query="tea"))["items"]
        assert [each["score"] for each in items] == [None] * len(ITEMS)
    assert f"langgraph.json: store.index does nothing here: {lacking}" in caplog.text
