"""The server describes what it has, to people, programs, browsers and monitors."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from parley.server.routes import openapi
from parley.server.routes.openapi import describe_api
from tests.kit.machine import patience
from tests.kit.samples import graphs

PAGE = "http://localhost:3000"
KEY = {"x-api-key": "sesame"}


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    options = EmbeddedOptions(
        tmp_path / "agent.sqlite", {"echo": graphs.echo}, api_key="sesame", cors_origins=(PAGE,)
    )
    async with (
        embedded_server(options) as app,
        httpx.AsyncClient(
            transport=StreamingASGITransport(app), base_url="http://x", timeout=patience(30)
        ) as made,
    ):
        yield made


async def test_it_is_made_once(http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def describe(routes: Any) -> dict[str, Any]:  # noqa: ANN401
        made.append(len(routes))
        return describe_api(routes)

    monkeypatch.setattr(openapi, "describe_api", describe)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(http.get("/openapi.json"))
            group.create_task(http.get("/docs"))
    assert len(made) == 1


async def test_every_operation_says_what_it_takes_and_every_reference_leads_somewhere(
    http: httpx.AsyncClient,
) -> None:
    response = await http.get("/openapi.json")
    document: dict[str, Any] = response.json()
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    assert all(each["summary"] and each["responses"] for each in operations)
    assert len({each["operationId"] for each in operations}) == len(operations)
    named = set(re.findall(r"#/components/schemas/([\w.-]+)", json.dumps(document)))
    assert named <= document["components"]["schemas"].keys()
    page = await http.get("/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert all(path in page.text for path in document["paths"])


async def test_a_page_that_is_named_may_ask_and_no_other(http: httpx.AsyncClient) -> None:
    asks = {"access-control-request-method": "POST", "access-control-request-headers": "x-api-key"}
    allowed = await http.options("/threads", headers={"origin": PAGE, **asks})
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == PAGE
    refused = await http.options("/threads", headers={"origin": "http://evil.example", **asks})
    assert "access-control-allow-origin" not in refused.headers
    made = await http.post("/threads", json={}, headers={"origin": PAGE, **KEY})
    assert made.headers["access-control-allow-origin"] == PAGE
    # A page shall read why it was refused.
    unkeyed = await http.post("/threads", json={}, headers={"origin": PAGE})
    assert (unkeyed.status_code, unkeyed.headers["access-control-allow-origin"]) == (401, PAGE)


async def test_figures_are_there_for_prometheus(http: httpx.AsyncClient) -> None:
    order = {"assistant_id": "echo", "input": {"messages": [{"role": "user", "content": "hi"}]}}
    assert (await http.post("/runs/wait", json=order, headers=KEY)).is_success
    told = (await http.get("/metrics", headers={"authorization": "Bearer sesame"})).text
    figures = {
        (sample.name, sample.labels.get("status", "")): sample.value
        for family in text_string_to_metric_families(told)
        for sample in family.samples
    }
    assert figures["parley_agent_ended_runs_total", "success"] == 1
    assert figures["lg_api_num_running_runs", ""] == 0
