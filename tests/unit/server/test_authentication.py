"""A project's own `Auth` says who comes in, and graphs know who asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import AuthenticationError

from parley.core.model.errors import ConfigError
from parley.server.app import create_app, embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from tests.conformance.served.auth_handler import TOKEN
from tests.kit.machine import patience
from tests.unit.server.test_app import HI

HANDLER = Path(__file__).parents[2] / "conformance" / "served" / "auth_handler.py"


async def _who(state: MessagesState, config: RunnableConfig) -> dict[str, Any]:
    place = config["configurable"]
    user = place.get("langgraph_auth_user") or {}
    return {"messages": [AIMessage(f"{user.get('identity')} {place.get('langgraph_auth_user_id')}")]}


WHO = StateGraph(MessagesState).add_node("who", _who).add_edge(START, "who").compile()


def _options(folder: Path, auth: str = "") -> EmbeddedOptions:
    return EmbeddedOptions(folder / "agent.sqlite", {"who": WHO}, auth=auth)


@asynccontextmanager
async def _client(options: EmbeddedOptions, headers: dict[str, str]) -> AsyncIterator[LangGraphClient]:
    async with (
        embedded_server(options) as app,
        httpx.AsyncClient(
            transport=StreamingASGITransport(app),
            base_url="http://x",
            headers=headers,
            timeout=patience(30),
        ) as http,
    ):
        yield LangGraphClient(http)


async def test_a_graph_knows_who_asked_and_nobody_pretends(tmp_path: Path) -> None:
    headers = {"authorization": f"Bearer {TOKEN.decode()}", "x-parley-person": "ada"}
    pretended: Any = {"langgraph_auth_user": {"identity": "eve"}, "langgraph_auth_user_id": "eve"}
    async with _client(_options(tmp_path, f"{HANDLER}:auth"), headers) as client:
        state: Any = await client.runs.wait(None, "who", input=HI, context=pretended)
        assert state["messages"][-1]["content"] == "ada ada"
        state = await client.runs.wait(None, "who", input=HI, config={"configurable": pretended})
        assert state["messages"][-1]["content"] == "ada ada"
        cron: Any = await client.crons.create("who", schedule="0 0 1 1 *", input=HI)
        assert cron["user_id"] == "ada"
    async with _client(_options(tmp_path), {}) as client:
        state = await client.runs.wait(None, "who", input=HI, context=pretended)
        assert state["messages"][-1]["content"] == "None None"


async def test_a_cron_that_another_changes_stays_its_owners(tmp_path: Path) -> None:
    options = _options(tmp_path, f"{HANDLER}:auth")
    token = {"authorization": f"Bearer {TOKEN.decode()}"}
    async with _client(options, token | {"x-parley-person": "ada"}) as client:
        made: Any = await client.crons.create("who", schedule="0 0 1 1 *", input=HI)
        eve: Any = await client.http.patch(
            f"/runs/crons/{made['cron_id']}",
            json={"schedule": "* * * * *", "user_id": "eve", "auth_user": {"identity": "eve"}},
            headers={"x-parley-person": "eve"},
        )
        assert eve["user_id"] == "ada"
        [found] = await client.crons.search()
        assert (found["user_id"], found["schedule"]) == ("ada", "* * * * *")


async def test_no_assistant_pretends_to_be_somebody(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    contexts: list[dict[str, Any]] = []

    async def look(_: MessagesState, config: RunnableConfig, runtime: Runtime[Any]) -> dict[str, Any]:
        told.append(dict(config["configurable"]))
        contexts.append(dict(runtime.context or {}))
        return {}

    async def factory(config: RunnableConfig) -> Any:  # noqa: ANN401 - as users write them
        told.append(dict(config["configurable"]))
        builder: Any = StateGraph(MessagesState)
        return builder.add_node("look", look).add_edge(START, "look").compile()

    evil: Any = {
        "langgraph_auth_user": {"identity": "eve"},
        "langgraph_auth_user_id": "eve",
        "langgraph_auth_permissions": ["all"],
        "__pregel_checkpointer": "x",
        "checkpoint_map": {"": "x"},
        "checkpoint_id": "x",
        "thread_id": "y",
    }
    async with _client(replace(_options(tmp_path), graphs={"look": factory}), {}) as client:
        for given in ({"context": evil}, {"config": {"configurable": evil}}):
            made = await client.assistants.create("look", **given)
            await client.assistants.get_schemas(made["assistant_id"])
            await client.runs.wait(None, made["assistant_id"], input=HI, raise_error=True)
            await client.runs.wait(None, made["assistant_id"], input=HI, context=evil, raise_error=True)
    assert len(told) >= 6
    for seen in (*told, *contexts):
        assert not [key for key in seen if key.startswith("langgraph_auth_")]
    for seen in told:
        assert "x" not in (seen.get("__pregel_checkpointer"), seen.get("checkpoint_id"))
        assert "x" not in (seen.get("checkpoint_map") or {}).values()


NOBODY = """
from langgraph_sdk import Auth

auth = Auth()


class Anybody:
    identity = None


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]):
    return {
        b"none": None, b"empty": {}, b"blank": "", b"unnamed": {"identity": None}, b"object": Anybody(),
        b"number": 0, b"list": [], b"not": {"identity": "ada", "is_authenticated": False},
    }[headers[b"x-case"]]
"""


@pytest.mark.parametrize("case", ["none", "empty", "blank", "unnamed", "object", "number", "list", "not"])
async def test_who_is_nobody_stays_out(tmp_path: Path, case: str) -> None:
    (tmp_path / "nobody.py").write_text(NOBODY)
    async with _client(_options(tmp_path, f"{tmp_path / 'nobody.py'}:auth"), {"x-case": case}) as client:
        with pytest.raises(AuthenticationError, match="nobody"):
            await client.assistants.search()


async def test_whom_it_does_not_let_in_stays_out(tmp_path: Path) -> None:
    async with _client(_options(tmp_path, f"{HANDLER}:auth"), {"x-parley-person": "ada"}) as client:
        with pytest.raises(AuthenticationError, match="no token"):
            await client.assistants.search()
        assert await client.http.get("/ok") == {"ok": True}


@pytest.mark.parametrize(("name", "said"), [("empty", "authenticate"), ("Auth", "must be")])
def test_an_auth_that_lets_nobody_in_stops_the_start(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "rules.py").write_text("from langgraph_sdk import Auth\n\nempty = Auth()\n")
    with pytest.raises(ConfigError, match=f"agent_server.auth: .*{said}"):
        create_app(_options(tmp_path, f"{tmp_path / 'rules.py'}:{name}"))
