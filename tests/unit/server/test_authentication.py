"""A project's own `Auth` says who comes in, and graphs know who asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
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


async def test_whom_it_does_not_let_in_stays_out(tmp_path: Path) -> None:
    async with _client(_options(tmp_path, f"{HANDLER}:auth"), {"x-parley-person": "ada"}) as client:
        with pytest.raises(AuthenticationError, match="no token"):
            await client.assistants.search()
        assert await client.http.get("/ok") == {"ok": True}


RULES = """
from langgraph_sdk import Auth

auth, empty = Auth(), Auth()


@auth.authenticate
def authenticate() -> str:
    return "anybody"


@auth.on.threads.read
async def own(ctx, value):
    return {"owner": ctx.user.identity}
"""


@pytest.mark.parametrize(
    ("name", "said"), [("auth", "@auth.on"), ("empty", "authenticate"), ("Auth", "must be")]
)
def test_rules_that_would_not_be_kept_stop_the_start(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    with pytest.raises(ConfigError, match=f"agent_server.auth: .*{said}"):
        create_app(_options(tmp_path, f"{tmp_path / 'rules.py'}:{name}"))
