"""The first message to a new bot: whoever wrote it becomes its administrator, and gets an answer."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from parley.app.settings.core_options import core_options
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import lock_data_folder, open_store
from parley.app.supervision.channel_factory import make_channel
from parley.app.supervision.channel_supervisor import ChannelSupervisor
from parley.core.inbound.bus import MessageBus
from parley.core.model.errors import ParleyError
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage
from parley.core.ports.health import Health
from parley.core.ports.pubsub import NULL_NOTIFIER
from parley.core.state.pairing import Pairing
from parley.store.sqlite import SqliteStore


async def receive_first_message(
    loaded: LoadedSettings, channel: str, ready: Callable[[], None], declined: Collection[str] = ()
) -> InboundMessage:
    """Listen to one channel until a person writes to the bot in private. Raises ParleyError.

    `ready` is called when the connection stands: some platforms lose what is written before. The platform
    may have been told that the message has arrived, or may send it again: keep it (`keep_messages`), or name
    its id among those `declined`.
    """
    arrived: asyncio.Future[InboundMessage] = asyncio.get_running_loop().create_future()

    async def accept(message: InboundMessage) -> None:
        wanted = message.private and not message.sender.bot and message.id not in declined
        if wanted and not arrived.done():
            arrived.set_result(message)

    with tempfile.TemporaryDirectory(prefix="parley-init-") as folder:
        elsewhere = replace(loaded, data_dir=Path(folder))
        async with SqliteStore.open(Path(folder) / "init.db") as store:
            config = loaded.channels[channel]
            supervisor = ChannelSupervisor(
                make_channel(elsewhere, store, NULL_NOTIFIER, channel, config), accept, _no_decision
            )
            listening = asyncio.create_task(supervisor.run(), name=f"channel {channel}")
            try:
                await supervisor.wait_until_started()
                if not listening.done():
                    ready()
                ends: set[asyncio.Future[Any]] = {arrived, listening}
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            finally:
                listening.cancel()
                with suppress(asyncio.CancelledError):
                    await listening
    if not arrived.done():
        report = supervisor.report()
        raise ParleyError(report.detail if report.health is Health.REFUSED else f"{channel} stopped")
    return arrived.result()


async def _no_decision(click: Click) -> str:
    return ""


async def keep_messages(loaded: LoadedSettings, messages: Sequence[InboundMessage]) -> None:
    """Make messages durable, so that they are answered when Parley starts. Raises ParleyError."""
    loaded.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock_data_folder(loaded):
        async with open_store(loaded) as store:
            pairing = await Pairing.open(store, time.time)
            bus = MessageBus(store, core_options(loaded).channels, pairing)
            for message in messages:
                await bus.publish_inbound(message)
