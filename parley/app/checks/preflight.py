"""Asking the platforms, without listening to them, whether they let us in."""

from __future__ import annotations

import asyncio
from functools import reduce
from operator import add

from parley.app.checks.findings import Findings, problem_at
from parley.app.checks.scratch import scratch_store
from parley.app.settings.load import LoadedSettings
from parley.app.supervision.channel_factory import make_channels
from parley.core.model.errors import AuthenticationRefused, ChannelError
from parley.core.ports.channel import Channel, Preflight, PreflightResult

_PATIENCE = 15.0
"""Seconds for a platform: what takes longer is not said to be wrong, only not to answer."""


async def ask_platforms(loaded: LoadedSettings) -> Findings:
    """Ask every platform whose channel is on, all at once. What a channel keeps goes into an empty folder."""
    async with scratch_store(loaded) as (elsewhere, store):
        channels = make_channels(elsewhere, store)
        found = await asyncio.gather(*(ask_platform(loaded, each) for each in channels.values()))
    return reduce(add, found, Findings())


async def ask_platform(loaded: LoadedSettings, channel: Channel) -> Findings:
    """Ask the platform of one channel whether it lets us in, and what it does not allow us."""
    if not isinstance(channel, Preflight):
        return Findings()
    here = ("channels", channel.name)
    try:
        async with asyncio.timeout(_PATIENCE):
            admission = await channel.preflight()
    except AuthenticationRefused as error:
        places: list[tuple[str | int, ...]] = [(*here, key) for key in error.keys] or [here]
        return Findings((problem_at(loaded, places[0], error.user_text, *places[1:]),))
    except ChannelError as error:
        return Findings((problem_at(loaded, here, f"{error.user_text}; Parley would go on trying"),))
    except TimeoutError:
        text = f"no answer in {_PATIENCE:.0f} s; Parley would go on trying"
        return Findings((problem_at(loaded, here, text),))
    return _admitted(loaded, channel.name, admission)


def _admitted(loaded: LoadedSettings, channel: str, admission: PreflightResult) -> Findings:
    lacking = tuple(problem_at(loaded, ("channels", channel, key), text) for key, text in admission.lacking)
    known = f"{channel} lets us in" + (f" as {admission.who}" if admission.who else "")
    return Findings(lacking, known=(known,), who=admission.who)
