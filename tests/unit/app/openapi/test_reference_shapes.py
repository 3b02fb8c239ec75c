"""The memory API answers in the shapes of the reference system: its models, written down here, read ours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from parley.app.composition.build import build_parley
from parley.app.settings.load import read_settings
from tests.kit.doubles.console_server import TOKEN, bearer


class Document(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class Section(Document):
    summary: str
    updated_at: str


class User(Document):
    work_context: Section
    personal_context: Section
    top_of_mind: Section


class History(Document):
    recent_months: Section
    earlier_context: Section
    long_term_background: Section


class Fact(Document):
    id: str
    content: str
    category: str
    confidence: float
    created_at: str
    source: str


class MemoryResponse(Document):
    version: str
    last_updated: str
    user: User
    history: History
    facts: list[Fact]


class MemoryConfigResponse(BaseModel):
    enabled: bool
    storage_path: str
    debounce_seconds: int
    max_facts: int
    fact_confidence_threshold: float
    injection_enabled: bool
    max_injection_tokens: int


class MemoryStatusResponse(BaseModel):
    config: MemoryConfigResponse
    data: MemoryResponse


@pytest_asyncio.fixture(params=["true", "false"])
async def http(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A Parley with memory on, and one with memory off."""
    text = f"agent: {{url: 'http://127.0.0.1:9'}}\nconsole: {{token: {TOKEN}}}\n"
    text += f"memory: {{enabled: {request.param}, storage_path: {tmp_path / 'kept'}}}\n"
    async with build_parley(read_settings(text, "config.yaml", {}, tmp_path)) as built:
        transport = httpx.ASGITransport(built.server.app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8321", headers=bearer(TOKEN)
        ) as client:
            yield client


async def test_its_models_read_our_answers(http: httpx.AsyncClient) -> None:
    config = MemoryConfigResponse.model_validate_json((await http.get("/api/memory/config")).content)
    assert (config.storage_path, config.max_facts) == ("kept", 1000), "a name, and no place of this machine"
    if config.enabled:
        await http.post("/api/memory/facts", json={"content": "Prefers tea", "category": "preference"})
        whole = MemoryResponse.model_validate_json((await http.get("/api/memory")).content)
        assert [(each.content, each.category) for each in whole.facts] == [("Prefers tea", "preference")]
        again = await http.post("/api/memory/reload")
        assert MemoryResponse.model_validate_json(again.content) == whole
    status = MemoryStatusResponse.model_validate_json((await http.get("/api/memory/status")).content)
    assert status.config == config
    assert len(status.data.facts) == config.enabled


async def test_nobody_without_the_token_and_nobody_elses_by_default(http: httpx.AsyncClient) -> None:
    for method, path in (("GET", ""), ("POST", "/reload"), ("GET", "/config"), ("GET", "/status")):
        answer = await http.request(method, f"/api/memory{path}", headers=bearer("not-the-token-at-all"))
        assert answer.status_code == 401
    if (await http.get("/api/memory/config")).json()["enabled"]:
        other = {"person": "telegram:4711"}
        await http.post("/api/memory/facts", json={"content": "Has a cat"}, params=other)
        assert (await http.get("/api/memory/status")).json()["data"]["facts"] == []
