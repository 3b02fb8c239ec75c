"""Assistants are found by graph, by name and by id."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from parley.agent.transport.assistants import AssistantDirectory
from parley.agent.transport.http_client import AgentEndpoint, make_clients
from parley.agent.transport.json_schema import schema_fields
from parley.core.model.errors import AgentRefused
from parley.core.model.types import Json
from parley.core.ports.agent import AssistantInfo

LEGAL = "a2f5b3c4-0000-4000-8000-000000000001"
GRAPH = "a2f5b3c4-0000-4000-8000-000000000002"
OFFICIAL = [
    {"assistant_id": GRAPH, "graph_id": "chat", "name": "chat", "metadata": {"created_by": "system"}},
    {"assistant_id": LEGAL, "graph_id": "chat", "name": "Legal desk", "metadata": {}},
]
DEERFLOW = [
    {"assistant_id": name, "graph_id": "lead_agent", "name": name} for name in ("lead_agent", "lawyer")
]


class Server(httpx.AsyncBaseTransport):
    """Has these assistants, and counts the searches."""

    def __init__(self, assistants: list[dict[str, Any]]) -> None:
        self._assistants = assistants
        self.searches = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            known = [each for each in self._assistants if request.url.path.endswith(each["assistant_id"])]
            return httpx.Response(200, json=known[0]) if known else httpx.Response(404)
        self.searches += 1
        query = json.loads(request.content)
        wanted = {key: query[key] for key in ("graph_id", "name") if query.get(key)}
        found = [each for each in self._assistants if all(each[k] == v for k, v in wanted.items())]
        start = query.get("offset", 0)
        return httpx.Response(200, json=found[start : start + query.get("limit", 10)])


def directory(server: Server) -> AssistantDirectory:
    return AssistantDirectory(make_clients(AgentEndpoint("http://agent.example"), server)[1])


async def test_a_configured_assistant_is_offered_by_its_name_and_runs_by_its_id() -> None:
    assert await directory(Server(OFFICIAL)).all() == (
        AssistantInfo("chat", "chat", "chat", GRAPH),
        AssistantInfo(LEGAL, "Legal desk", "chat", LEGAL),
    )
    assert [(each.name, each.target) for each in await directory(Server(DEERFLOW)).all()] == [
        ("lead_agent", "lead_agent"),
        ("lawyer", "lawyer"),
    ]


async def test_one_without_a_name_is_called_by_its_id() -> None:
    unnamed = {"assistant_id": LEGAL, "graph_id": "chat", "name": "Untitled", "metadata": {}}
    assert await directory(Server([unnamed])).all() == (AssistantInfo(LEGAL, LEGAL, "chat", LEGAL),)


async def test_all_pages_are_read() -> None:
    server = Server([{"assistant_id": f"a{number}", "graph_id": "g"} for number in range(250)])
    assert len(await directory(server).all()) == 250
    assert server.searches == 3


@pytest.mark.parametrize("name", ["chat", "Legal desk", LEGAL])
async def test_it_is_known_by_graph_name_and_id(name: str) -> None:
    assert await directory(Server(OFFICIAL)).knows(name) is True


async def test_an_unknown_one_is_not_known() -> None:
    found = directory(Server(OFFICIAL))
    assert await found.knows("Illegal desk") is False
    assert await found.knows(LEGAL.replace("1", "9")) is False
    assert await directory(Server([])).knows("chat") is None


async def test_a_run_names_the_id_once_it_is_learnt() -> None:
    server = Server(OFFICIAL)
    found = directory(server)
    assert found.called("Legal desk") == "Legal desk"
    assert await found.learn("Legal desk")
    assert found.called("Legal desk") == LEGAL
    assert not await found.learn("Legal desk")
    assert server.searches == 1


@pytest.mark.parametrize("name", ["chat", "Illegal desk", LEGAL])
async def test_there_is_nothing_to_learn(name: str) -> None:
    found = directory(Server(OFFICIAL))
    assert not await found.learn(name)
    assert found.called(name) == name


async def test_of_two_of_one_name_none_is_taken_by_guess() -> None:
    other = {**OFFICIAL[1], "assistant_id": LEGAL.replace("1", "2")}
    found = directory(Server([*OFFICIAL, other]))
    with pytest.raises(AgentRefused, match="several assistants are called Legal desk.*" + LEGAL):
        await found.learn("Legal desk")
    assert found.called("Legal desk") == "Legal desk"


class _Context(BaseModel):
    """One that knows itself: pydantic describes it by a reference alone."""

    user_id: str = ""
    above: _Context | None = None


@pytest.mark.parametrize(
    "schema",
    [
        _Context.model_json_schema(),
        {"allOf": [{"$ref": "#/$defs/C"}], "$defs": {"C": {"properties": {"user_id": {}, "above": {}}}}},
        {"allOf": [{"properties": {"user_id": {}}}, {"properties": {"above": {}}}]},
    ],
)
def test_fields_are_found_behind_references(schema: Json) -> None:
    assert set(schema_fields(schema)) == {"user_id", "above"}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"$ref": "https://example.org/schema"},
        {"$ref": 1, "allOf": 2, "$defs": 3},
        {"properties": ["a"]},
    ],
)
def test_a_schema_that_makes_no_sense_has_no_fields(schema: Json) -> None:
    assert schema_fields(schema) == {}
