"""Each channel that is on: let in, allowed what it needs, and connected for a moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

from parley.app.checks.preflight import ask_platform
from parley.app.checks.scratch import scratch_store
from parley.app.doctor.context import DoctorContext, RunningState
from parley.app.doctor.result import CheckResult, ProbeStatus, failed, from_findings, skipped, succeeded
from parley.app.settings.load import LoadedSettings
from parley.app.supervision.channel_factory import make_channel
from parley.core.model.errors import AuthenticationRefused, ChannelError, ConfigError
from parley.core.ports.channel import Channel, ConnectionProbe, Preflight
from parley.core.ports.health import CONNECTED, Health
from parley.core.ports.journal import Journal
from parley.core.ports.pubsub import NULL_NOTIFIER

_PATIENCE = 20.0
_LATER = "Parley goes on trying; see docs/troubleshooting.md if it stays so"
_STANDING = {Health.UP, Health.STANDBY}


async def probe_channels(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what is found of each channel, in the order in which the platforms answer.

    What a channel keeps goes into an empty folder.
    """
    names = [name for name in context.loaded.channels if name != "web"]
    context.say(f"channels: {', '.join(names) or 'only the page'}")
    async with scratch_store(context.loaded) as (elsewhere, store):
        work = [asyncio.create_task(_probed(context, elsewhere, store, name)) for name in names]
        for finished in asyncio.as_completed(work):
            for result in await finished:
                yield result


async def _probed(
    context: DoctorContext, elsewhere: LoadedSettings, store: Journal, name: str
) -> list[CheckResult]:
    try:
        channel = make_channel(elsewhere, store, NULL_NOTIFIER, name, elsewhere.channels[name])
    except ConfigError as error:
        text, _, remedy = error.user_text.removeprefix(f"channels.{name}: ").partition("; ")
        return [failed(f"channels.{name}.packages", text, remedy, f"channels.{name}")]
    found = await _let_in(context.loaded, channel)
    if any(each.status is ProbeStatus.FAILED and each.name.endswith("credentials") for each in found):
        return [*found, skipped(f"channels.{name}.connection", "not tried: the platform does not let us in")]
    return [*found, await _connected(context.running, channel)]


async def _let_in(loaded: LoadedSettings, channel: Channel) -> list[CheckResult]:
    if not isinstance(channel, Preflight):
        return []
    since, name = time.monotonic(), f"channels.{channel.name}"
    found = await ask_platform(loaded, channel)
    if not found.known:
        return [*from_findings(loaded, f"{name}.credentials", found)]
    lacking = [*from_findings(loaded, f"{name}.scopes", replace(found, known=()))]
    let_in = succeeded(f"{name}.credentials", found.known[0], since)
    granted = succeeded(f"{name}.scopes", "all that is needed is granted, as far as the platform tells")
    return [let_in, *(lacking or [granted])]


async def _connected(running: RunningState | None, channel: Channel) -> CheckResult:
    name, since = f"channels.{channel.name}.connection", time.monotonic()
    if running is not None:
        return _reported(running, channel.name)
    if not isinstance(channel, ConnectionProbe):
        return skipped(name, "this channel has no way to try its connection")
    place = f"channels.{channel.name}"
    try:
        async with asyncio.timeout(_PATIENCE):
            return succeeded(name, await channel.probe_connection(), since)
    except AuthenticationRefused as error:
        places = ", ".join(error.places(channel.name)) or place
        return failed(name, error.user_text, f"correct {places}", places)
    except ChannelError as error:
        text, _, remedy = error.user_text.partition("; ")
        return failed(name, text, remedy or _LATER, place)
    except TimeoutError:
        return failed(name, f"no connection within {_PATIENCE:.0f} s", _LATER, place, plain=True)


def _reported(running: RunningState, channel: str) -> CheckResult:
    """Say how the running Parley is connected: another connection would take its events."""
    name, report = f"channels.{channel}.connection", running.reports.get(channel)
    if report is None:
        text = "the running Parley does not have this channel: it was switched on after the start"
        return failed(name, text, "start Parley again", f"channels.{channel}", plain=True)
    text = f"the running Parley says: {report.health}, {report.detail}"
    if report.health is Health.UP and report.detail != CONNECTED:
        text, _, remedy = text.partition("; ")
        return failed(name, text, remedy, f"channels.{channel}")
    if report.health in _STANDING:
        return succeeded(name, text)
    return failed(name, text, "mend what it says, or start Parley again", f"channels.{channel}")
