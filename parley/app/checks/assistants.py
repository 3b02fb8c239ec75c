"""Whether the agent server is there, and has the assistants that the settings name."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from parley.agent.transport.health_probe import UNTRUSTED
from parley.app.checks.findings import (
    TRUST_REMEDY,
    Findings,
    named_assistants,
    problem_at,
    unknown_assistant,
)
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import AgentError
from parley.core.ports.agent import AssistantInfo
from parley.core.ports.health import Health, HealthReport

log = logging.getLogger("parley.app")

_PAUSE = 10.0  # seconds between two looks at an agent server that is away


class AgentProbe(Protocol):
    """What is asked of the agent."""

    async def health(self) -> HealthReport: ...

    async def knows(self, assistant: str) -> bool | None: ...

    async def assistants(self) -> tuple[AssistantInfo, ...]: ...


async def check_agent(loaded: LoadedSettings, agent: AgentProbe) -> Findings:
    """Ask whether the agent server is there, lets us in, and has the assistants that the settings name."""
    report = await agent.health()
    if report.health is Health.UP:
        return await _assistants(loaded, agent)
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(named_assistants(loaded).values()))
    remedy = "check the address and agent.api_key, or write: embedded"
    text = f"{report.detail}; {TRUST_REMEDY if UNTRUSTED in report.detail else remedy}"
    return Findings(
        (problem_at(loaded, ("agent", "url"), f"{text} (whether {names} is there is not known)"),)
    )


async def _assistants(loaded: LoadedSettings, agent: AgentProbe) -> Findings:
    mistakes, remarks = [], []
    for path, name in named_assistants(loaded).items():
        try:
            known = await agent.knows(name)
            there = () if known is None else await agent.assistants()
        except AgentError as error:
            remarks.append(
                problem_at(loaded, path, f"whether there is {name} is not known: {error.user_text}")
            )
            continue
        if known is False:
            known_names = tuple(dict.fromkeys(each.name for each in there))
            mistakes.append(unknown_assistant(loaded, path, name, known_names))
        elif known is None:
            text = f"whether there is {name} is not known: the agent server does not list its assistants"
            remarks.append(problem_at(loaded, path, text))
        elif ids := _namesakes(name, there):
            text = f'several assistants are called "{name}"; write the id of one: {", ".join(ids)}'
            mistakes.append(problem_at(loaded, path, text))
    return Findings(tuple(mistakes), tuple(remarks))


def _namesakes(name: str, there: Sequence[AssistantInfo]) -> Sequence[str]:
    """Return the ids of several assistants with one name; nothing where a run can tell which is meant."""
    if any(name in (each.graph, each.id) for each in there):
        return ()
    ids = [each.id for each in there if each.name == name]
    return ids if len(ids) > 1 else ()


async def warn_missing_assistants(loaded: LoadedSettings, agent: AgentProbe, pause: float = _PAUSE) -> None:
    """Say in the log, once the agent server is there, which assistants it does not have, or has twice."""
    while True:
        if (await agent.health()).health is Health.UP:
            break
        await asyncio.sleep(pause)
    for mistake in (await _assistants(loaded, agent)).mistakes:
        log.warning("%s", mistake.show(loaded.origin))
