"""All probes, one after the other, each told as soon as it is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TypeAlias

from parley.app.doctor.agent import probe_agent
from parley.app.doctor.channels import probe_channels
from parley.app.doctor.context import DoctorContext
from parley.app.doctor.machine import probe_machine
from parley.app.doctor.memory import probe_memory
from parley.app.doctor.network import probe_network
from parley.app.doctor.result import CheckResult
from parley.app.doctor.services import probe_services
from parley.app.doctor.settings import probe_settings
from parley.app.doctor.store import probe_the_store, probe_waiting_work
from parley.app.doctor.versions import probe_versions
from parley.app.process.logs import secret_hider

ProbeGroup: TypeAlias = Callable[[DoctorContext], AsyncIterator[CheckResult]]

_GROUPS: tuple[ProbeGroup, ...] = (
    probe_settings,
    probe_versions,
    probe_machine,
    probe_the_store,
    probe_waiting_work,
    probe_network,
    probe_channels,
    probe_agent,
    probe_memory,
    probe_services,
)


async def examine(context: DoctorContext, tell: Callable[[CheckResult], None]) -> tuple[CheckResult, ...]:
    """Return what every probe found; each result is told when it is there."""
    results: list[CheckResult] = []
    hide = secret_hider(context.loaded.settings)
    for group in _GROUPS:
        async for result in group(context):
            if not result.plain:
                # What platforms, agents and libraries say may repeat an address with its password.
                result = replace(result, text=hide(result.text), remedy=hide(result.remedy))
            results.append(result)
            tell(result)
    return tuple(results)
