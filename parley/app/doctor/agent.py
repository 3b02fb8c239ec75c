"""The agent: there, with the assistants that the settings name, and answering a real run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib.metadata import PackageNotFoundError, version

import httpx

from parley.app.checks.assistants import check_agent
from parley.app.checks.findings import Findings, problem_at
from parley.app.checks.scratch import scratch_settings
from parley.app.checks.trial_run import try_run
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, from_findings, skipped, succeeded
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ConfigError, ParleyError

_PATIENCE = 5.0


async def ask_agent(loaded: LoadedSettings, *, makes_a_run: bool) -> Findings:
    """Return why the agent could not answer, and what a run says where one is to be made.

    An embedded one is made for a moment, in an empty folder.
    """
    if loaded.settings.agent.demonstrates and not makes_a_run:
        return Findings()
    with scratch_settings(loaded) as elsewhere:
        try:
            return await _ask(elsewhere, makes_a_run=makes_a_run)
        except ConfigError as error:
            # A graph that cannot be loaded, or a model; the words of others have lines of their own.
            place, _, text = " ".join(error.user_text.split()).partition(": ")
            return Findings((problem_at(loaded, tuple(place.split(".")), text),))


async def _ask(loaded: LoadedSettings, *, makes_a_run: bool) -> Findings:
    from parley.app.composition.agent import open_agent

    async with open_agent(loaded) as agent:
        if loaded.settings.agent.embedded:
            await agent.health()
            found = Findings()
        else:
            found = await check_agent(loaded, agent)
        return found + await try_run(loaded, agent) if makes_a_run and not found.mistakes else found


async def probe_agent(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what a real run says, and the version of the agent server."""
    context.say("agent: a run in a conversation that is deleted again (up to 2 minutes)")
    try:
        found = await ask_agent(context.loaded, makes_a_run=True)
    except ParleyError as error:
        found = Findings((problem_at(context.loaded, ("agent",), error.user_text),))
    for result in from_findings(context.loaded, "agent.run", found):
        yield result
    yield await _server_version(context.loaded)


async def _server_version(loaded: LoadedSettings) -> CheckResult:
    agent, name = loaded.settings.agent, "agent.version"
    if agent.embedded:
        try:
            return succeeded(name, f"the embedded server with langgraph {version('langgraph')}", plain=True)
        except PackageNotFoundError:
            return skipped(name, "langgraph is not installed")
    headers = dict(agent.headers) | ({"x-api-key": agent.api_key} if agent.api_key else {})
    try:
        async with httpx.AsyncClient(timeout=_PATIENCE, headers=headers) as http:
            answer = (await http.get(f"{agent.url.rstrip('/')}/info")).json()
        told = {key: str(answer[key])[:40] for key in ("version", "langgraph_py_version") if answer.get(key)}
    except (httpx.HTTPError, ValueError, TypeError, AttributeError, KeyError):
        told = {}
    if not told:
        return skipped(name, "the agent server does not tell its version (GET /info)")
    words = ", ".join(f"{key} {value}" for key, value in told.items())
    return succeeded(name, f"the agent server says: {words}")
