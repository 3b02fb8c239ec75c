"""Asking a platform or an agent whether what was given works, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.app.checks.findings import Findings
from parley.app.checks.preflight import ask_platforms
from parley.app.checks.scratch import scratch_settings
from parley.app.checks.trial_run import try_run
from parley.app.setup.draft import Draft
from parley.core.model.errors import ConfigError, ParleyError
from parley.core.ports.agent import AssistantInfo
from parley.core.ports.health import Health


@dataclass(frozen=True, slots=True)
class SetupProbe:
    """Whether it works, who the bot is or what the agent said, and what is wrong or lacking."""

    works: bool
    found: str = ""
    problems: tuple[str, ...] = ()


async def probe_channel(draft: Draft, channel: str) -> SetupProbe:
    """Ask the platform whether it lets a channel in, and which of its rights are missing."""
    loaded = draft.loaded()
    found = await ask_platforms(replace(loaded, plans={channel: loaded.plans[channel]}))
    return replace(_result(found, works=bool(found.known)), found=found.who)


async def probe_run(draft: Draft) -> SetupProbe:
    """Say hello to the agent, in a conversation that is deleted again."""
    try:
        with scratch_settings(draft.loaded()) as loaded:
            from parley.app.composition.agent import open_agent

            async with open_agent(loaded) as agent:
                found = await try_run(loaded, agent)
    except ConfigError as error:
        return SetupProbe(works=False, problems=tuple(error.user_text.splitlines()))
    return _result(found, works=not found.mistakes)


async def list_assistants(draft: Draft) -> Sequence[AssistantInfo]:
    """Return the assistants of the agent server. Raises ParleyError where it does not let us in."""
    with scratch_settings(draft.loaded()) as loaded:
        from parley.app.composition.agent import open_agent

        async with open_agent(loaded) as agent:
            report = await agent.health()
            if report.health is not Health.UP:
                raise ParleyError(report.detail)
            return await agent.assistants()


def _result(found: Findings, *, works: bool) -> SetupProbe:
    problems = tuple(each.text for each in (*found.mistakes, *found.remarks))
    return SetupProbe(works, "; ".join(found.known), problems)
