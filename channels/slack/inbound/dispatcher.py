"""Payloads to the inbox, through Bolt. What does not fail there is on disk, or nothing to us."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.fields import MALFORMED, json_object
from parley.channels.kit.keyed_lock import KeyedLock
from parley.channels.slack.api import SlackApi
from parley.channels.slack.inbound.agent_surface import AgentSurface
from parley.channels.slack.inbound.context import REACHED, SlackInboundContext
from parley.channels.slack.inbound.event_parser import parse_event, user_ids_in
from parley.channels.slack.inbound.interactions import InteractionHandler
from parley.channels.slack.inbound.message_shortcut import ASK_FORM, MessageShortcut
from parley.channels.slack.inbound.shared_files import with_file_infos
from parley.channels.slack.inbound.slash_commands import SlashCommands
from parley.channels.slack.manifest import ASK_SHORTCUT
from parley.core.model.types import InboundMessage, Json, JsonObject

log = logging.getLogger(__name__)

_ANYTHING = re.compile("")


class SlackDispatcher:
    """Hears payloads. `errands` are what is done after an answer to Slack, `prompts` what people are offered
    to begin with, instead of ours."""

    def __init__(
        self,
        api: SlackApi,
        listener: SlackInboundContext,
        errands: BackgroundTasks,
        prompts: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._api = api
        self._listener = listener
        self._presses = InteractionHandler(api, listener, errands)
        self._asking = MessageShortcut(api, listener, errands)
        self._commands = SlashCommands(api, listener)
        self._surface = AgentSurface(api, listener, prompts, errands)
        self._locks = KeyedLock()
        self._app = self._bolt(api)

    async def dispatch(self, payload: JsonObject) -> JsonObject | None:
        """Return what to answer, mostly nothing, when Slack may forget this payload; None when it may not.

        One chat's messages are heard in the order of the calls, and so are one person's presses of buttons.

        While the store is away, or Slack does not tell who somebody is, it waits: what Slack sends again
        meanwhile is known by its id.
        """
        async with self._locks.hold(_lane(payload)):
            try:
                request = AsyncBoltRequest(mode="socket_mode", body=dict(payload))
                answer = await self._app.async_dispatch(request)
            except MALFORMED as error:
                log.warning(
                    "slack: a payload cannot be read and is skipped: %s: %s", type(error).__name__, error
                )
                return {}
        # 404 is Bolt's word for what nobody asked for: nothing to us either.
        return None if answer.status == 500 else _said(answer)

    def _bolt(self, api: SlackApi) -> AsyncApp:
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
            # Without one Bolt reads the sources of all callers. It sets the level of the logger of this name.
            name="slack_bolt",
            logger=logging.getLogger("slack_bolt"),
            client=api.client,
            authorize=authorize,
            process_before_response=True,
            request_verification_enabled=False,
        )
        app.error(_on_error)
        app.event(_ANYTHING)(self._on_event)
        app.action(_ANYTHING)(self._presses.on_action)
        app.shortcut(ASK_SHORTCUT)(self._asking.on_shortcut)
        app.view(ASK_FORM)(self._asking.on_form)
        app.view(_ANYTHING)(self._presses.on_form)
        app.command(_ANYTHING)(self._commands.on_command)
        # Nothing of these is asked for; left without an answer, Slack shows people a warning.
        for kind in (app.shortcut, app.options):
            kind(_ANYTHING)(_on_other)
        return app

    async def _on_event(self, body: dict[str, Json], context: AsyncBoltContext) -> None:
        context[REACHED] = True
        await self._listener.retry_until_stored(f"event {body.get('event_id')}", lambda: self._accept(body))

    async def _accept(self, body: JsonObject) -> None:
        event = body.get("event")
        if isinstance(event, dict):
            await self._listener.direct.learn(event)
            self._surface.on_event(event)
        message = await self._message(body)
        if message is not None:
            self._surface.on_message(message)
            await self._listener.inbox.accept(message)

    async def _message(self, body: JsonObject) -> InboundMessage | None:
        """Return the message in a payload that is for us. Raises ChannelUnavailable, RateLimited."""
        listener = self._listener
        try:
            event = await listener.door.accepted_event(body)
            if event is None:
                return None
            event = await listener.direct.place(event)
            people = await listener.people.get_many(user_ids_in(event))
            return parse_event(await with_file_infos(self._api, event), listener.me, people)
        except MALFORMED as error:
            log.warning(
                "slack: event %s cannot be read and is skipped: %s: %s",
                body.get("event_id"),
                type(error).__name__,
                error,
            )
            return None


async def _on_error(error: Exception, context: AsyncBoltContext) -> BoltResponse:
    """Skip what Bolt itself stumbles over, which would come again; ask again for what failed with us."""
    if context.get(REACHED):
        log.error("slack: an event could not be handled", exc_info=error)
        return BoltResponse(status=500)
    log.warning("slack: a payload cannot be read and is skipped: %s: %s", type(error).__name__, error)
    return BoltResponse(status=200)


async def _on_other(ack: AsyncAck) -> None:
    await ack()


def _said(answer: BoltResponse) -> JsonObject:
    """Return the object in an answer of Bolt's, empty for none."""
    try:
        return json_object(answer.body)
    except ValueError:
        return {}


def _lane(payload: JsonObject) -> str:
    """Return what must stay in order: a chat, or a person; rubbish has a lane of its own."""
    about, key = (payload.get("event"), "channel") if "event" in payload else (payload.get("user"), "id")
    lane = about.get(key) if isinstance(about, dict) else payload.get("user_id")
    return lane if isinstance(lane, str) else ""
