"""Who speaks reaches the graph, its store and a server's own authentication: two people are two."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest

from parley.agent.agent import LangGraphAgent
from parley.agent.runs.memory_injection import MemoryInjection
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import RunIdentity, User
from parley.core.model.types import RunEnded, RunRequest, SessionSettings
from tests.conformance.served.auth_handler import TOKEN
from tests.conformance.servers import Server, official

ANN = RunIdentity("slack:U1", "slack:U1", "slack", "slack", "C1", "C1:1.1", name="Ann", private=False)
BOB = replace(ANN, person="slack:b.ob", account="slack:U2", name="Bob", message_id="C1:1.2")
MEMORY = "<memory>\nlikes tea\n</memory>"
_AUTH = Path(__file__).parent / "served" / "auth_handler.py"
_turns = count(1)


@dataclass
class Talk:
    """One thread that several people speak in."""

    agent: LangGraphAgent
    thread: str

    async def say(self, assistant: str, identity: RunIdentity, text: str = "hi", memory: str = "") -> object:
        number = next(_turns)
        request = RunRequest(
            turn_id=f"turn-{self.thread}-{number}",
            message_id=str(uuid4()),
            thread=self.thread,
            text=text,
            person=User("slack", identity.account),
            session=SessionSettings(assistant),
            identity=identity,
            name=f"{identity.name}-1",
            memory=memory,
        )
        (ended,) = [event async for event in self.agent.run(request) if isinstance(event, RunEnded)]
        assert not ended.error, ended.error
        return json.loads(ended.text)


@pytest.fixture
async def talk(server: Server, tmp_path: Path) -> AsyncIterator[Talk]:
    endpoint = AgentEndpoint(server.url, server.key or "")
    async with LangGraphAgent(endpoint, files=tmp_path, injection=MemoryInjection.AUTO) as agent:
        yield Talk(agent, str(uuid4()))


async def test_graph_and_model_know_who_speaks(talk: Talk) -> None:
    for person in (ANN, BOB):
        seen = await talk.say("identity", person)
        assert isinstance(seen, dict)
        assert seen["people"] == [person.person] * 3
        assert (seen["user_id"], seen["name"]) == (person.user_id, f"{person.name}-1")


async def test_a_strict_context_gets_only_its_own_fields(talk: Talk) -> None:
    assert await talk.say("strict", BOB) == ["slack_3ab_2eob", "slack:b.ob"]


async def test_the_store_keeps_people_of_one_thread_apart(talk: Talk) -> None:
    # The store outlives a thread: other names than in the other checks.
    ann, bob = (replace(each, person=f"{each.person}-{talk.thread}") for each in (ANN, BOB))
    assert await talk.say("notes", ann, "one") == ["one"]
    assert await talk.say("notes", bob, "two") == ["two"]
    assert await talk.say("notes", ann, "three") == ["one", "three"]


async def test_memory_is_found_where_it_is_declared_and_words_stay_text(talk: Talk) -> None:
    assert await talk.say("remembers", ANN, "hi", MEMORY) == [MEMORY, "hi"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with official(tmp_path_factory.mktemp("guarded"), _AUTH) as running:
        yield running


@pytest.mark.conformance
async def test_an_auth_handler_sees_each_person_of_a_group(guarded: Server, tmp_path: Path) -> None:
    headers = {"Authorization": f"Bearer {TOKEN.decode()}", "X-Parley-Person": "{person}"}
    async with LangGraphAgent(AgentEndpoint(guarded.url, headers=headers), files=tmp_path) as agent:
        talk = Talk(agent, str(uuid4()))
        for person in (ANN, BOB):
            seen = await talk.say("identity", person)
            assert isinstance(seen, dict)
            assert seen["auth"] == person.person
        # What is no person's is asked in Parley's own name.
        assert "echo" in {each.graph for each in await agent.assistants()}
