"""Updates posted to the bot's webhook: chats side by side, the updates of one chat in order."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import aiohttp

from parley.simulator.kit.json_values import Json, JsonObject, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.errors import bad_request, too_many
from parley.simulator.telegram.world import TelegramWorld

_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}\Z")
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})
_PORTS = (None, 443, 80, 88, 8443)
_PAUSE = load_limits("telegram")["set_webhook_pause"].whole


class WebhookSender:
    """Posts what waits while a webhook is set, and again some time after a refusal. On the server's loop."""

    def __init__(self, world: TelegramWorld, out: Callable[[], bool]) -> None:
        self._world = world
        self._out = out
        self._busy: set[int] = set()
        self._news = world.change_event()

    async def run(self) -> None:
        """Post until cancelled."""
        timeout = aiohttp.ClientTimeout(total=30)
        async with aiohttp.ClientSession(timeout=timeout) as session, asyncio.TaskGroup() as group:
            while True:
                self._news.clear()
                for chat, update in self._due():
                    self._busy.add(chat)
                    group.create_task(self._deliver(session, chat, update))
                await self._news.wait()

    def _due(self) -> list[tuple[int, JsonObject]]:
        """Return the first waiting update of each chat to which none is on its way."""
        world = self._world
        with world.changed:
            if not world.webhook:
                return []
            world.waiting[:0] = world.again
            world.again.clear()
            first: dict[int, JsonObject] = {}
            for update in world.waiting:
                first.setdefault(_chat_of(update), update)
        free = world.webhook_connections - len(self._busy)
        return [(chat, update) for chat, update in first.items() if chat not in self._busy][: max(0, free)]

    async def _deliver(self, session: aiohttp.ClientSession, chat: int, update: JsonObject) -> None:
        world = self._world
        problem = "Connection refused" if self._out() else await _post(session, world, update)
        with world.changed:
            if problem:
                world.webhook_error = (time.time(), problem)
            elif update in world.waiting:
                world.waiting.remove(update)
                world.confirmed.append(update)
            world.touch()
        if problem:
            await asyncio.sleep(world.webhook_retry)
        self._busy.discard(chat)
        self._news.set()


async def _post(session: aiohttp.ClientSession, world: TelegramWorld, update: JsonObject) -> str:
    """Return why it was not taken, in the platform's words, or ""."""
    headers = {"X-Telegram-Bot-Api-Secret-Token": world.webhook_secret} if world.webhook_secret else {}
    try:
        async with session.post(world.webhook, json=update, headers=headers) as answer:
            taken = 200 <= answer.status < 300
            return "" if taken else f"Wrong response from the webhook: {answer.status} {answer.reason}"
    except (aiohttp.ClientError, TimeoutError) as error:
        return f"Connection failed: {type(error).__name__}"


def _chat_of(update: JsonObject) -> int:
    """Return the chat that an update is about, 0 for none."""
    for body in update.values():
        about = as_object(body)
        chat = as_object(as_object(about.get("message", about)).get("chat"))
        number = chat.get("id")
        if isinstance(number, int):
            return number
    return 0


def set_webhook(world: TelegramWorld, params: TelegramParams) -> Json:
    """Set where updates are posted."""
    url, secret = params.text("url"), params.text("secret_token")
    if url:
        _refuse_second_call(world)
    if url:
        _check_address(url)
    if secret and not _SECRET.match(secret):
        raise bad_request("secret token contains unallowed characters")
    connections = params.integer("max_connections") or 40
    if not 1 <= connections <= 100:
        raise bad_request("max_connections must be between 1 and 100")
    world.webhook, world.webhook_secret, world.webhook_connections = url, secret, connections
    world.webhook_error = (0.0, "")
    if "allowed_updates" in params.values:
        world.allowed = frozenset(str(kind) for kind in params.array("allowed_updates"))
    _drop(world, params)
    return True


def _check_address(url: str) -> None:
    """Refuse what Telegram posts nothing to. On this machine any is taken, as by a server of one's own."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise bad_request("bad webhook: invalid URL") from error
    if parts.scheme in ("https", "http") and parts.hostname in _HERE:
        return
    if parts.scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if port not in _PORTS:
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")


def _refuse_second_call(world: TelegramWorld) -> None:
    """Refuse a second call within a second, as the platform does whoever makes it."""
    now = time.monotonic()
    if now < world.webhook_set_again:
        raise too_many(_PAUSE)
    world.webhook_set_again = now + _PAUSE


def delete_webhook(world: TelegramWorld, params: TelegramParams) -> Json:
    """Go back to polling."""
    world.webhook = ""
    _drop(world, params)
    return True


def webhook_info(world: TelegramWorld, params: TelegramParams) -> Json:
    """Return where updates are posted, and what last went wrong with it."""
    body: JsonObject = {
        "url": world.webhook,
        "has_custom_certificate": False,
        "pending_update_count": len(world.waiting),
    }
    at, problem = world.webhook_error
    if problem:
        body |= {"last_error_date": int(at), "last_error_message": problem}
    return body


def _drop(world: TelegramWorld, params: TelegramParams) -> None:
    if params.flag("drop_pending_updates"):
        world.waiting.clear()
    world.touch()
