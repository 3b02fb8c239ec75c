"""A bot in Node, on a vendor's own SDK, as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.kit.machine import patience

_HERE = Path(__file__).parent
SDKS = Path(os.environ.get("PARLEY_VENDORS", _HERE.parents[1] / ".pytest_cache" / "vendors"))
"""Where `make vendors` puts the SDKs."""
_PATIENCE = patience(20.0)
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class NodeBot:
    """What a bot tells us, in order."""

    def __init__(self) -> None:
        self.told: list[dict[str, str]] = []
        self._news = asyncio.Event()

    def hear(self, line: bytes) -> None:
        """One line of its output."""
        self.told.append(json.loads(line))
        self._news.set()

    async def tells(self, event: str, count: int = 1) -> dict[str, str]:
        """The `count`th event of this name. Raises AssertionError when it does not come."""
        try:
            async with asyncio.timeout(_PATIENCE):
                while len(found := [each for each in self.told if each["event"] == event]) < count:
                    await self._news.wait()
                    self._news.clear()
        except TimeoutError:
            raise AssertionError(f"no {event} number {count} in {self.told}") from None
        return found[count - 1]


@asynccontextmanager
async def running(name: str, settings: Mapping[str, str]) -> AsyncIterator[NodeBot]:
    """The bot in `<name>.cjs`, which ends when this is left."""
    # NODE_PATH: the SDKs do not lie beside the bots, which are ours.
    environment = {key: value for key, value in os.environ.items() if key.lower() not in _PROXIES}
    environment |= {"BOT": json.dumps(dict(settings)), "NODE_PATH": str(SDKS / "node_modules")}
    process = await asyncio.create_subprocess_exec(
        "node",
        str(_HERE / f"{name}.cjs"),
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    bot = NodeBot()
    hearing = asyncio.create_task(_listen(process, bot))
    try:
        yield bot
    finally:
        process.kill()
        await process.wait()
        await hearing


async def _listen(process: asyncio.subprocess.Process, bot: NodeBot) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        bot.hear(line)
