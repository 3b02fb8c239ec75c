"""A scripted core: answers what the page sends, as the real one would, at the test's pace."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from parley.channels.web.channel import WebChannel
from parley.channels.web.config import Config
from parley.console.api.setup import setup_routes
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.model.address import Conversation, User
from parley.core.model.feedback import FEEDBACK_QUESTION
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, ReplyTarget
from parley.core.ports.channel import WaitingSign
from parley.core.ports.health import Health, HealthReport
from parley.core.texts import Sentence, say
from tests.browser.core_script import Turn, play
from tests.kit.doubles.web import MemoryDocuments, services


async def _checkpoint(handle: str) -> None:
    return None


TOKEN = "a-token-that-is-long-enough"


def own_console(port: int = 0) -> ConsoleOptions:
    """The console of somebody who opens the printed address."""
    return ConsoleOptions(port=port, token=TOKEN, generated=True)


class ScriptedCore:
    """An inbox that answers as `script.py` says; "/stop" ends what runs, `release` frees what is held."""

    def __init__(self, channel: WebChannel, folder: Path) -> None:
        self.channel = channel
        self.folder = folder
        self.seen: list[InboundMessage] = []
        self.clicks: list[Click] = []
        self.targets: dict[str, ReplyTarget] = {}
        self.withdrawn: set[str] = set()
        self.late = False
        self.release = asyncio.Event()
        self.up = asyncio.Event()
        self._turns: dict[Conversation, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def online(self) -> None:
        self.up.set()

    async def accept(self, message: InboundMessage) -> None:
        if any(known.id == message.id for known in self.seen):
            return
        self.seen.append(message)
        running = self._turns.get(message.conversation)
        if message.text == "/stop" and running is not None:
            running.cancel()
            return
        task = asyncio.create_task(self._turn(message))
        self._turns[message.conversation] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def withdraw(self, conversation: Conversation, message_id: str, sender: User) -> bool:
        """In time until what is held is released, unless it is said to be `late`."""
        if self.late or self.release.is_set():
            return False
        self.withdrawn.add(message_id)
        return self._turns[conversation].cancel()

    async def decide(self, click: Click) -> str:
        self.clicks.append(click)
        if click.question.startswith(FEEDBACK_QUESTION):
            return say("en", Sentence.FEEDBACK_NOTED)
        turn_id = next(name for name in self.targets if name.startswith("turn-"))
        target = self.targets[turn_id]
        settled = OutboundMessage(
            turn_id, click.conversation, target.reply_to, f"✅ You: {click.option} {click.text}"
        )
        await self.channel.open_reply(target, _checkpoint).settle(settled)
        return "Noted."

    async def _turn(self, message: InboundMessage) -> None:
        turn_id = f"turn-{message.id}"
        said = message.edits or message.id
        target = ReplyTarget(turn_id, message.conversation, said, message.sender, private=True)
        self.targets[turn_id] = target
        reply = self.channel.open_reply(target, _checkpoint)
        blank = OutboundMessage(turn_id, message.conversation, said, "")
        newest = blank
        try:
            if message.text == "no room":
                assert isinstance(reply, WaitingSign)
                # Once: also where the page hears of it before its own request is answered.
                await reply.show_waiting(waits=True)
                await self.release.wait()
            async for snapshot in play(Turn(blank, message.text, self.folder, self.release)):
                newest = snapshot
                if not newest.final:
                    await reply.show(newest)
        except asyncio.CancelledError:
            if message.id in self.withdrawn:
                return
            newest = replace(newest, text=f"{newest.text}\n\n*Stopped.*", final=True)
        await reply.finish(newest)


@asynccontextmanager
async def running(
    folder: Path, documents: MemoryDocuments, options: ConsoleOptions, config: Config
) -> AsyncIterator[tuple[str, ScriptedCore]]:
    """The real channel behind the real console, with the scripted core; gives the printed address."""

    async def withdraw(conversation: Conversation, message_id: str, sender: User) -> bool:
        return await core.withdraw(conversation, message_id, sender)

    channel = WebChannel(config, replace(services(documents, folder, reruns=True), withdraw=withdraw))
    core = ScriptedCore(channel, folder)
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    routes = [*setup_routes(None), *channel.routes()]
    server = HttpServer(options, routes, lambda: [HealthReport("store", Health.UP, "", 0.0)])
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server.run(url.set_result))
        listening = group.create_task(channel.listen(core))
        await core.up.wait()
        entrance = f"/?token={options.token}" if options.generated else ""
        yield await url + entrance, core
        serving.cancel()
        listening.cancel()
