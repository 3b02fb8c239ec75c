"""A real run, made to see whether the agent answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Protocol
from uuid import uuid4

from parley.app.checks.findings import Findings, named_assistants, problem_at
from parley.app.settings.core_options import default_session
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.problems import ConfigProblem, Path
from parley.core.model.address import User
from parley.core.model.errors import AgentError, FailureCause
from parley.core.model.sanitize import sanitize_text
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted

_PATIENCE = 120.0
"""Seconds for the run; an agent that takes longer may be well, but nobody waits for it at a check."""

_HELLO = "Hello"
_LONGEST = 120
_SLOW = "look into the graph and its log: it waits for a model, a tool or a lock"
_REMEDIES = {
    FailureCause.KEY: "the model's provider refused its key or account: write a valid key there",
    FailureCause.RATE: "the model's provider allows no more calls now: wait, or ask it for a higher limit",
    FailureCause.LENGTH: "the model takes shorter texts only: choose another one",
    FailureCause.BLOCKED: "a node of the graph blocks the event loop: make its calls asynchronous",
    FailureCause.STEPS: "the graph does not come to an end: look at its edges, or raise recursion_limit",
}
_OUTCOMES = {
    Outcome.ANSWERED: "answered",
    Outcome.ASKED: "asked something",
    Outcome.EMPTY: "ended without saying anything",
    Outcome.CANCELLED: "was cancelled by somebody else",
    Outcome.FAILED: "failed",
}


class TrialAgent(Protocol):
    """What runs turns, and forgets them."""

    def run(self, request: RunRequest) -> AsyncIterator[RunEvent]: ...

    async def cancel(self, run: RunRef, turn: str = "") -> None: ...

    async def forget(self, thread: str) -> bool: ...


async def try_run(loaded: LoadedSettings, agent: TrialAgent) -> Findings:
    """Say hello in a thread of its own, delete that thread, and return what came back in one line."""
    session, thread = default_session(loaded), str(uuid4())
    request = RunRequest(str(uuid4()), str(uuid4()), thread, _HELLO, User("check", "check"), session)
    place, began = next(iter(named_assistants(loaded))), time.monotonic()
    try:
        ended, why = await _outcome(agent, request)
    finally:
        with suppress(AgentError):
            await agent.forget(thread)
    told = f'a run of "{session.assistant}" {why} after {time.monotonic() - began:.1f} s'
    if ended and (said := _one_line(ended.error or ended.text)):
        told = f"{told}: {said}"
    if ended and ended.outcome in (Outcome.ANSWERED, Outcome.ASKED):
        return Findings(known=(f"{told[0].upper()}{told[1:]}",))
    return Findings((_problem(loaded, place, told, ended),))


def _problem(loaded: LoadedSettings, place: Path, told: str, ended: RunEnded | None) -> ConfigProblem:
    """Return what is wrong with the remedy for its cause, where the key of our own model stands."""
    agent = loaded.settings.agent
    remedy = _REMEDIES.get(ended.cause, "") if ended else _SLOW
    if ended and ended.cause is FailureCause.KEY and agent.embedded and agent.model:
        place = ("agent", "model_api_key")
    # A semicolon divides what is wrong from the remedy.
    told = told.replace(";", ",")
    return problem_at(loaded, place, f"{told}; {remedy}" if remedy else told)


async def _outcome(agent: TrialAgent, request: RunRequest) -> tuple[RunEnded | None, str]:
    run: RunRef | None = None
    try:
        async with asyncio.timeout(_PATIENCE):
            async for event in agent.run(request):
                if isinstance(event, RunStarted):
                    run = event.run
                elif isinstance(event, RunEnded):
                    return event, _OUTCOMES[event.outcome]
    except AgentError as error:
        return RunEnded(Outcome.FAILED, error=error.reason), _OUTCOMES[Outcome.FAILED]
    except TimeoutError:
        if run:
            with suppress(AgentError):
                await agent.cancel(run)
    return None, f"made no end within {_PATIENCE:.0f} seconds"


def _one_line(text: str) -> str:
    said = " ".join(sanitize_text(text[: 10 * _LONGEST]).split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
