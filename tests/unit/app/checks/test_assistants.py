"""Whether the agent server has what the settings name, asked by `check` and at the start."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

import pytest

from parley.app.checks.assistants import check_agent, warn_missing_assistants
from parley.core.model.errors import AgentError, AgentUnavailable
from parley.core.ports.agent import AssistantInfo
from parley.core.ports.health import Health, HealthReport
from tests.kit.settings_reading import settings

TEXT = """\
agent: {url: "http://agent", assistant: helper}
channels:
  web: {session: {assistant_id: analyst}}
"""


@dataclass
class Server:
    """An agent server with these assistants; None where it does not tell, or an error."""

    names: tuple[str, ...] | AgentError | None = ("helper", "analyst")
    reports: list[Health] = field(default_factory=lambda: [Health.UP])
    others: tuple[AssistantInfo, ...] = ()

    async def health(self) -> HealthReport:
        health = self.reports.pop(0) if len(self.reports) > 1 else self.reports[0]
        return HealthReport("agent", health, "http://agent: no connection", 0.0)

    async def assistants(self) -> tuple[AssistantInfo, ...]:
        names = self.names if isinstance(self.names, tuple) else ()
        return (*(AssistantInfo(name, name, name) for name in names), *self.others)

    async def knows(self, assistant: str) -> bool | None:
        if isinstance(self.names, AgentError):
            raise self.names
        there = await self.assistants()
        return None if self.names is None else any(assistant in each.names for each in there)


async def test_assistants_that_are_there_are_fine() -> None:
    found = await check_agent(settings(TEXT), Server())
    assert (found.mistakes, found.remarks) == ((), ())


async def test_each_that_is_not_there_is_named_with_its_place_and_what_there_is() -> None:
    found = await check_agent(settings(TEXT), Server(("helpr",)))
    no = "the agent server has no assistant"
    assert [mistake.show("config.yaml") for mistake in found.mistakes] == [
        f'config.yaml:1: agent.assistant: {no} "helper"; did you mean "helpr"?',
        f'config.yaml:3: channels.web.session.assistant_id: {no} "analyst"; there are: helpr',
    ]


async def test_a_name_that_several_assistants_have_is_a_mistake_that_gives_their_ids() -> None:
    legal = [AssistantInfo(own, "helper", "chat", own) for own in ("id-1", "id-2")]
    found = await check_agent(settings(TEXT), Server(("analyst", "chat"), others=tuple(legal)))
    (line,) = [mistake.show("config.yaml") for mistake in found.mistakes]
    several = 'several assistants are called "helper"'
    assert line == f"config.yaml:1: agent.assistant: {several}; write the id of one: id-1, id-2"


@pytest.mark.parametrize("names", [("helper", "analyst"), ("analyst",)])
async def test_a_name_that_a_run_understands_is_fine(names: tuple[str, ...]) -> None:
    """Of a graph and an assistant the run gets the graph; one assistant alone is meant by its name."""
    only = AssistantInfo("id-1", "helper", "chat", "id-1")
    found = await check_agent(settings(TEXT), Server(names, others=(only,)))
    assert (found.mistakes, found.remarks) == ((), ())


@pytest.mark.parametrize(
    ("names", "why"),
    [(None, "does not list its assistants"), (AgentUnavailable("It is tired."), "It is tired.")],
)
async def test_what_cannot_be_known_is_a_remark(names: AgentError | None, why: str) -> None:
    found = await check_agent(settings(TEXT), Server(names))
    assert found.mistakes == ()
    assert [why in remark.text for remark in found.remarks] == [True, True]


async def test_a_server_that_is_away_is_a_mistake_that_says_what_is_not_known() -> None:
    found = await check_agent(settings(TEXT), Server(reports=[Health.RETRYING]))
    (line,) = [mistake.show("config.yaml") for mistake in found.mistakes]
    assert line.startswith("config.yaml:1: agent.url: http://agent: no connection; check the address")
    assert line.endswith('(whether "helper", "analyst" is there is not known)')


async def test_a_start_warns_once_the_server_is_there(caplog: pytest.LogCaptureFixture) -> None:
    server = Server(("helper",), [Health.STARTING, Health.RETRYING, Health.UP])
    with caplog.at_level(logging.WARNING):
        await asyncio.wait_for(warn_missing_assistants(settings(TEXT), server, pause=0.0), 20)
    (record,) = caplog.records
    assert record.getMessage().startswith("config.yaml:3: channels.web.session.assistant_id: ")
