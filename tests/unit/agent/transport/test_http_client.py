"""Health, models, assistants, and the way to the server."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import RawTestServer
from yarl import URL

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.agent.transport.model_list import parse_model_names
from parley.core.model.errors import AgentRefused, AgentUnavailable
from parley.core.model.types import Json
from parley.core.ports.agent import AssistantInfo
from parley.core.ports.health import Health
from tests.kit.doubles.langgraph_server import FakeServer


async def health(server: FakeServer, tmp_path: Path) -> Health:
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path) as agent:
        return (await agent.health()).health


async def test_a_server_that_answers_is_up(server: FakeServer, tmp_path: Path) -> None:
    assert await health(server, tmp_path) is Health.UP


async def test_a_server_without_signs_of_life_is_up_if_it_answers(server: FakeServer, tmp_path: Path) -> None:
    server.refusals = [("/ok", 404), ("/assistants/search", 404)]
    assert await health(server, tmp_path) is Health.UP


async def test_an_address_where_nothing_is_found_is_no_agent_server(tmp_path: Path) -> None:
    async def absent(_: web.BaseRequest) -> web.Response:
        return web.json_response({"detail": "Not Found"}, status=404)

    async with (
        RawTestServer(absent) as nothing,
        LangGraphAgent(AgentEndpoint(f"http://127.0.0.1:{nothing.port}"), files=tmp_path) as agent,
    ):
        report = await agent.health()
    assert report.health is Health.RETRYING
    assert "HTTP 404 to everything" in report.detail


@pytest.mark.parametrize("path", ["/ok", "/assistants/search"])
async def test_a_refused_key_shows(server: FakeServer, tmp_path: Path, path: str) -> None:
    server.refusals = [(path, 401)]
    assert await health(server, tmp_path) is Health.REFUSED


async def test_a_server_that_is_away_is_retried(tmp_path: Path) -> None:
    async with LangGraphAgent(
        AgentEndpoint("http://127.0.0.1:9"), files=tmp_path, clock=lambda: 5.0
    ) as agent:
        report = await agent.health()
    assert (report.health, report.since) == (Health.RETRYING, 5.0)
    assert report.detail == "http://127.0.0.1:9: no connection (Connection refused)"


async def test_an_outage_is_two_lines_of_the_log(
    server: FakeServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "parley")
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path) as agent:
        await agent.health()
        server.refusals = [("/ok", 503)]
        await agent.health()
        await agent.health()
        server.refusals = []
        await agent.health()
    told = [(each.levelname, each.getMessage()) for each in caplog.records]
    assert told == [
        ("WARNING", f"the agent server cannot be used, messages wait for it: {server.url}: HTTP 503"),
        ("INFO", f"the agent server can be used again: {server.url}"),
    ]


async def test_a_server_that_is_away_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parley")
    async with LangGraphAgent(AgentEndpoint("http://127.0.0.1:9"), files=tmp_path) as agent:
        for _ in range(3):
            await agent.health()
    (told,) = caplog.messages
    assert told.endswith("messages wait for it: http://127.0.0.1:9: no connection (Connection refused)")


async def test_a_server_that_speaks_no_tls_is_said(server: FakeServer, tmp_path: Path) -> None:
    url = server.url.replace("http:", "https:")
    async with LangGraphAgent(AgentEndpoint(url), files=tmp_path) as agent:
        report = await agent.health()
    assert report.health is Health.RETRYING
    assert report.detail.startswith(f"{url}: no connection (")
    assert "SSL" in report.detail
    assert "Operation not permitted" not in report.detail


async def test_models_are_configured_or_the_gateways(server: FakeServer, tmp_path: Path) -> None:
    endpoint = AgentEndpoint(server.url, "key")
    configured = LangGraphAgent(endpoint, files=tmp_path, models=("mine",), gateway_url=server.url)
    asking = LangGraphAgent(endpoint, files=tmp_path, gateway_url=server.url)
    neither = LangGraphAgent(endpoint, files=tmp_path)
    async with configured, asking, neither:
        assert await configured.models() == ("mine",)
        assert await asking.models() == ("small", "large")
        assert await neither.models() == ()
    assert [headers["x-api-key"] for _, _, headers, _ in server.requests] == ["key"]


async def test_a_gateway_that_fails_is_unavailable(server: FakeServer, tmp_path: Path) -> None:
    server.refusals = [("/api/models", 500)]
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path, gateway_url=server.url) as agent:
        with pytest.raises(AgentUnavailable):
            await agent.models()


@pytest.mark.parametrize(
    "answer",
    [
        {"models": [{"name": "a"}, {"name": "b"}]},
        {"data": [{"id": "a"}, {"id": "b"}, {"id": "a"}]},
        {"models": {"a": {}, "b": {}}},
        ["a", {"model": "b"}, None],
    ],
)
def test_model_lists_of_every_shape_are_read(answer: Json) -> None:
    assert parse_model_names(answer) == ("a", "b")


async def test_assistants_are_listed(server: FakeServer, tmp_path: Path) -> None:
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path) as agent:
        assert await agent.assistants() == (AssistantInfo("agent", "agent", "agent", "x"),)


async def test_what_a_server_says_of_its_refusal_is_kept_for_the_log(
    server: FakeServer, tmp_path: Path
) -> None:
    server.refusals = [("/assistants/search", 422)]
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path) as agent:
        with pytest.raises(AgentRefused) as refused:
            await agent.assistants()
    assert refused.value.reason.startswith(
        "The agent server refused the request. (list the assistants: HTTP 422, "
    )


async def test_whether_an_assistant_is_there_is_asked(server: FakeServer, tmp_path: Path) -> None:
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path) as agent:
        assert await agent.knows("agent") is True
        assert await agent.knows("agnt") is False
        assert await agent.knows("fe096781-5601-53d2-b2f6-0d3403f7e9ca") is False
        server.refusals = [("/assistants/search", 404)]
        assert await agent.knows("agent") is None


async def test_a_server_beyond_a_proxy_is_reached_through_it(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls for runs as well as those for health, with the credentials that the proxy's address names."""
    asked: list[tuple[str, str]] = []

    async def forward(request: web.BaseRequest) -> web.Response:
        asked.append((str(request.url), request.headers["Proxy-Authorization"]))
        target = request.url.with_host("127.0.0.1").with_port(URL(server.url).port)
        body, kind = await request.read(), {"content-type": "application/json"}
        async with (
            ClientSession() as session,
            session.request(request.method, target, data=body, headers=kind) as answer,
        ):
            return web.Response(
                status=answer.status, body=await answer.read(), content_type="application/json"
            )

    async with RawTestServer(forward) as proxy:
        address = f"http://me:secret@127.0.0.1:{proxy.port}"
        monkeypatch.setenv("http_proxy", address)
        async with LangGraphAgent(AgentEndpoint("http://agent.example"), files=tmp_path) as agent:
            assert (await agent.health()).health is Health.UP
            assert await agent.assistants() == (AssistantInfo("agent", "agent", "agent", "x"),)
    assert {url.partition("/assistants")[0] for url, _ in asked} == {
        "http://agent.example/ok",
        "http://agent.example",
    }
    assert {credentials for _, credentials in asked} == {"Basic bWU6c2VjcmV0"}
