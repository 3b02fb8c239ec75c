"""Payloads to the inbox, through Bolt. What does not fail there is on disk, or nothing to us."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult

from bridge.errors import ChannelUnavailable, RateLimited, StoreUnavailable
from bridge.ports import Inbox
from bridge.types import InboundMessage, Json, JsonObject
from channels.slack.api import Api
from channels.slack.door import Door
from channels.slack.inbound import Me, people_in, read
from channels.slack.ordering import Lanes
from channels.slack.people import People

log = logging.getLogger(__name__)

# Whatever Bolt and we may raise over a payload that is not as it should be.
_RUBBISH = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError)
_ANYTHING = re.compile("")
_REACHED = "parley_reached"


def _store_pause(attempt: int) -> float:
    return min(30.0, 0.5 * 2.0 ** min(attempt, 10))


@dataclass(frozen=True, slots=True)
class Listener:
    """Who listens: the core's inbox, the app that is spoken to, the people around it, who may be heard."""

    inbox: Inbox
    me: Me
    people: People
    door: Door


class Events:
    """Hears payloads. `pause`: seconds to wait after so many failures of the store."""

    def __init__(self, api: Api, listener: Listener, pause: Callable[[int], float] = _store_pause) -> None:
        self._listener = listener
        self._pause = pause
        self._lanes = Lanes()
        self._app = self._bolt(api)

    async def hear(self, payload: JsonObject) -> bool:
        """Whether Slack may forget this payload. One chat's payloads are heard in the order of the calls.

        While the store is away, or Slack does not tell who somebody is, it waits: what Slack sends again
        meanwhile is known by its id.
        """
        async with self._lanes.of(_chat(payload)):
            try:
                request = AsyncBoltRequest(mode="socket_mode", body=dict(payload))
                answer = await self._app.async_dispatch(request)
            except _RUBBISH as error:
                log.warning(
                    "slack: a payload cannot be read and is skipped: %s: %s", type(error).__name__, error
                )
                return True
        # 404 is Bolt's word for what nobody asked for: nothing to us either.
        return bool(answer.status != 500)

    def _bolt(self, api: Api) -> AsyncApp:
        me = self._listener.me

        async def authorize() -> AuthorizeResult:
            # Bolt's own way asks Slack, and acknowledges what it could not ask about.
            return AuthorizeResult(
                enterprise_id=me.enterprise or None,
                team_id=me.team,
                bot_user_id=me.user,
                bot_id=me.bot,
                bot_token=api.client.token,
            )

        app = AsyncApp(
            logger=logging.getLogger("slack_bolt"),
            client=api.client,
            authorize=authorize,
            process_before_response=True,
            request_verification_enabled=False,
        )
        app.error(_on_error)
        app.event(_ANYTHING)(self._on_event)
        # Nothing of these is asked for yet; left without an answer, Slack shows people a warning.
        for kind in (app.action, app.command, app.shortcut, app.view, app.options):
            kind(_ANYTHING)(_on_other)
        return app

    async def _on_event(self, body: dict[str, Json], context: AsyncBoltContext) -> None:
        context[_REACHED] = True
        attempt = 0
        while True:
            try:
                message = await self._message(body)
                if message is not None:
                    await self._listener.inbox.accept(message)
                return
            except (StoreUnavailable, ChannelUnavailable, RateLimited) as error:
                log.warning("slack: event %s waits (%s)", body.get("event_id"), error)
                asked = error.retry_after if isinstance(error, RateLimited) else 0.0
                await asyncio.sleep(max(asked, self._pause(attempt)))
                attempt += 1

    async def _message(self, body: JsonObject) -> InboundMessage | None:
        """The message in a payload that is for us. Raises ChannelUnavailable, RateLimited."""
        listener = self._listener
        try:
            event = await listener.door.event(body)
            if event is None:
                return None
            return read(event, listener.me, await listener.people.named(people_in(event)))
        except _RUBBISH as error:
            log.warning(
                "slack: event %s cannot be read and is skipped: %s: %s",
                body.get("event_id"),
                type(error).__name__,
                error,
            )
            return None


async def _on_error(error: Exception, context: AsyncBoltContext) -> BoltResponse:
    """What Bolt itself stumbles over is rubbish and would come again; what failed in our hands must."""
    if context.get(_REACHED):
        log.error("slack: an event could not be handled", exc_info=error)
        return BoltResponse(status=500)
    log.warning("slack: a payload cannot be read and is skipped: %s: %s", type(error).__name__, error)
    return BoltResponse(status=200)


async def _on_other(ack: AsyncAck) -> None:
    await ack()


def _chat(payload: JsonObject) -> str:
    """What must stay in order; rubbish has a lane of its own."""
    event = payload.get("event")
    chat = event.get("channel") if isinstance(event, dict) else None
    return chat if isinstance(chat, str) else ""
