"""The embedder of the agent server's store: from the configuration, or from a langgraph.json beside it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from parley.app.checks.findings import check_settings
from parley.app.composition.embedded.options import embedded_options
from parley.app.settings.langgraph_file import PROJECT_FILE
from parley.app.settings.load import LoadedSettings, read_settings
from parley.core.model.errors import ConfigError
from parley.server.storage.store_index import takes_vectors
from parley.simulator.kit import http_server as loopback
from tests.unit.server.conftest import _served as served

needs_extensions = pytest.mark.skipif(
    not takes_vectors(),
    reason="this Python's sqlite3 was built without extensions, as pyenv builds it unless it is told",
)
MINE = """
calls = []


def plain(texts):
    calls.append(list(texts))
    return [[float(len(text)), 1.0] for text in texts]


async def later(texts):
    return plain(texts)


class Model:
    async def aembed_documents(self, texts):
        return plain(texts)


model, number = Model(), 3
"""


def loaded(folder: Path, config: str = "", index: object = None) -> LoadedSettings:
    (folder / "my_embedder.py").write_text(MINE)
    if index is not None:
        (folder / "my_graph.py").write_text("from tests.kit.samples.graphs import echo\n")
        tree = {
            "graphs": {"echo": "./my_graph.py:echo"},
            "store": {"index": index, "ttl": {"default_ttl": 5}},
        }
        (folder / PROJECT_FILE).write_text(json.dumps(tree))
    return read_settings(config, "config.yaml", {}, folder)


def section(embed: str, more: str = "") -> str:
    return f"agent_server: {{store_index: {{embed: '{embed}'{more}}}}}\n"


async def nearest(settings: LoadedSettings) -> Any:  # noqa: ANN401 - an item of the SDK
    async with served(embedded_options(settings)) as client:
        for text in ("one", "seventeen"):
            await client.store.put_item(["n"], text, {"text": text, "other": "x" * 30})
        return (await client.store.search_items([], query="seventy or so", limit=1))["items"][0]


@needs_extensions
@pytest.mark.parametrize("name", ["plain", "later", "model"])
async def test_a_function_of_ones_own_embeds(tmp_path: Path, name: str) -> None:
    config = section(f"my_embedder.py:{name}", ", dims: 2, fields: [text]")
    assert (await nearest(loaded(tmp_path, config)))["key"] == "seventeen"


@needs_extensions
async def test_a_project_says_it_in_its_own_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "", {"embed": "./my_embedder.py:later", "dims": 2, "fields": ["text"]})
    assert (await nearest(settings))["key"] == "seventeen"
    remarks = [each.text for each in check_settings(settings).remarks]
    assert any("store.ttl does nothing here" in each for each in remarks)
    assert not any("store does" in each or "store.index" in each for each in remarks)


@pytest.mark.skipif(takes_vectors(), reason="this Python's sqlite3 takes extensions")
async def test_a_project_goes_on_without_where_sqlite_takes_no_extension(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = await nearest(loaded(tmp_path, "", {"embed": "./my_embedder.py:later", "dims": 2}))
    assert found["score"] is None
    assert "store.index does nothing here" in caplog.text


@pytest.fixture
async def service() -> AsyncIterator[tuple[str, list[Any]]]:
    """A service of embeddings as OpenAI has it."""
    asked: list[Any] = []

    async def embeddings(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append((request.headers["authorization"], body["model"], body["input"]))
        rows = [{"index": n, "embedding": [float(len(text)), 1.0]} for n, text in enumerate(body["input"])]
        return web.json_response({"data": rows[::-1]})

    app = web.Application()
    app.add_routes([web.post("/v1/embeddings", embeddings)])
    async with loopback.serving(app) as port:
        yield f"http://127.0.0.1:{port}/v1", asked


@needs_extensions
async def test_what_embeds_memories_embeds_items(tmp_path: Path, service: tuple[str, list[Any]]) -> None:
    url, asked = service
    memory = f"memory: {{embedding: '{url}', embedding_model: small, embedding_api_key: k}}\n"
    found = await nearest(loaded(tmp_path, memory + section("memory", ", fields: [text]")))
    assert found["key"] == "seventeen"
    assert asked == [("Bearer k", "small", [text]) for text in ("one", "seventeen", "seventy or so")]


@pytest.mark.parametrize(
    ("embed", "said"),
    [
        ("memory", "memory has no embedder; set memory.embedding"),
        ("my_embedder.py:number", "is int; name a function"),
        ("my_embedder.py:missing", "has no 'missing'"),
        ("nowhere.py:embed", "cannot be imported"),
        ("nobody:small", "nobody:small cannot be used"),
    ],
)
async def test_an_embedder_that_cannot_be_used_stops_the_start(tmp_path: Path, embed: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"agent_server.store_index.*{said}"):
        await nearest(loaded(tmp_path, section(embed)))


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ({"embed": "small"}, "store.index.embed: must be"),
        ({"embed": 3}, "store.index.embed: must be"),
        ({"embed": "./my_embedder.py:plain", "dims": -1}, "store.index.dims"),
        ({"embed": "./my_embedder.py:plain", "fields": 7}, "store.index.fields"),
    ],
)
async def test_a_project_that_says_it_wrong_is_told(tmp_path: Path, index: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        await nearest(loaded(tmp_path, "", index))


def test_a_word_alone_is_no_embedder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"store_index\.embed: must be"):
        loaded(tmp_path, section("openai"))
