"""Asking the platforms, without listening to them, whether they let us in."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from app.build import make_channels
from app.settings.load import Loaded
from bridge.errors import AuthenticationRefused, ChannelError
from bridge.ports import Channel, Preflight
from store.sqlite import SqliteStore

_PATIENCE = 15.0
"""Seconds for a platform: what takes longer is not said to be wrong, only not to answer."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the platforms said: a line in `known` for each that lets us in, in `problems` for each other."""

    known: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


async def preflight(loaded: Loaded) -> Findings:
    """Ask every platform whose channel is on, all at once. What a channel keeps goes into an empty folder."""
    with tempfile.TemporaryDirectory(prefix="parley-check-") as folder:
        elsewhere = replace(loaded, data_dir=Path(folder))
        async with SqliteStore.open(Path(folder) / "check.db") as store:
            channels = make_channels(elsewhere, store)
            return _together(await asyncio.gather(*map(_asked, channels.values())))


async def _asked(channel: Channel) -> Findings:
    if not isinstance(channel, Preflight):
        return Findings()
    where = f"channels.{channel.name}"
    try:
        async with asyncio.timeout(_PATIENCE):
            who = await channel.preflight()
    except AuthenticationRefused as error:
        places = ", ".join(error.places(channel.name))
        return Findings(problems=(f"{places or where}: {error.user_text}",))
    except ChannelError as error:
        return Findings(problems=(f"{where}: {error.user_text}; Parley would go on trying",))
    except TimeoutError:
        return Findings(problems=(f"{where}: no answer in {_PATIENCE:.0f} s; Parley would go on trying",))
    return Findings(known=(f"{channel.name} lets us in" + (f" as {who}" if who else ""),))


def _together(found: list[Findings]) -> Findings:
    return Findings(
        tuple(line for each in found for line in each.known),
        tuple(line for each in found for line in each.problems),
    )
