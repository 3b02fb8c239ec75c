"""The Web API as this channel needs it: few calls, our errors, and the tokens kept inside."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.kit.errors import FormatRefused
from parley.channels.kit.http.pool import HttpPool
from parley.channels.kit.text import wellformed
from parley.channels.slack.api_values import OwnMessage, parse_own_message, parse_user, signature_of, ts_of
from parley.channels.slack.blocks import MAX_PLAIN_TEXT, BlockButton, button_forms, footed_forms, text_forms
from parley.channels.slack.config import Config
from parley.channels.slack.errors import TooLong, map_sdk_errors
from parley.channels.slack.rate_limits import counted_calls
from parley.channels.slack.users import SlackBotIdentity, SlackUser
from parley.core.model.errors import AuthenticationRefused
from parley.core.model.types import Json, JsonObject

# The SDK writes what people say to its log at DEBUG; Bolt gives advice to its developers in warnings.
logging.getLogger("slack_sdk").setLevel(logging.INFO)
logging.getLogger("slack_bolt").setLevel(logging.ERROR)

PREFLIGHT = 8.0
MOST_PAGES = 5


@dataclass(frozen=True, slots=True)
class SlackDestination:
    """Where messages go: a chat, perhaps a thread of it, and whom a growing message is for."""

    chat: str
    thread: str | None
    person: str = ""
    team: str = ""


class SlackApi:
    """One app. Every method raises ChannelError.

    `async with api.connected():` keeps the connections open for everybody meanwhile. `refused` is set once
    Slack has refused a token in the midst of things.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._budget = RateBudget()
        self._sessions = HttpPool()
        # No retries in here: the SDK's own would send a message again whose answer was lost.
        self._client = AsyncWebClient(config.bot_token, base_url=config.api_url, retry_handlers=[])
        # The SDK reads proxies from the environment and ignores NO_PROXY; our connections honour both.
        self._client.proxy = None
        self.refused = asyncio.Event()

    @property
    def client(self) -> AsyncWebClient:
        """The SDK's client, for Bolt."""
        return self._client

    def connected(self) -> HttpPool:
        """Return the connections, to be kept open with `async with`."""
        return self._sessions

    async def me(self) -> tuple[SlackBotIdentity, frozenset[str]]:
        """Return who the app is, and its scopes. Raises AuthenticationRefused for a token that is none."""
        answer = await self.call("auth.test", self._client.auth_test, PREFLIGHT)
        keys = ("user_id", "bot_id", "team_id", "enterprise_id", "url", "user", "team")
        fields = [wellformed(str(answer.get(key) or "")) for key in keys]
        if not all(fields[:3]):
            raise AuthenticationRefused("the token is not a bot's, which begins with xoxb-", "bot_token")
        scopes = str(answer.headers.get("x-oauth-scopes") or "")
        return SlackBotIdentity(*fields), frozenset(
            each.strip() for each in scopes.split(",") if each.strip()
        )

    async def socket_url(self) -> str:
        """Return an address for one Socket Mode connection, good for half a minute. It is a secret."""
        token, client = self._config.app_token, self._client
        try:
            answer = await self.call(
                "apps.connections.open", lambda: client.apps_connections_open(app_token=token), PREFLIGHT
            )
        except AuthenticationRefused as error:
            raise AuthenticationRefused(error.user_text, "app_token") from error
        return str(answer.get("url") or "")

    async def person(self, user: str) -> SlackUser:
        """Return who somebody is."""
        answer = await self.call(
            "users.info", lambda: self._client.users_info(user=user, include_locale=True)
        )
        return parse_user(answer.get("user") or {})

    async def post(
        self,
        place: SlackDestination,
        markdown: str,
        turn: str,
        part: int,
        buttons: Sequence[BlockButton] = (),
        foot: Sequence[JsonObject] = (),
    ) -> str:
        """Send a message, perhaps with buttons or other blocks under it; return its ts."""
        fixed: dict[str, Json] = {
            "channel": place.chat,
            "metadata": signature_of(turn, part),
            "unfurl_links": False,
            "unfurl_media": False,
        }
        thread: dict[str, Json] = {} if place.thread is None else {"thread_ts": place.thread}
        *better, last = button_forms(markdown, buttons) if buttons else footed_forms(markdown, foot)
        # Only a new message may say that its text is no mrkdwn.
        content = (*better, last | {"mrkdwn": False})
        return ts_of(await self._shown("chat.postMessage", content, fixed | thread))

    async def update(
        self, place: SlackDestination, ts: str, content: Sequence[JsonObject], turn: str, part: int
    ) -> None:
        """Give a message another content, in the first form that Slack takes.

        Raises MessageGone when it is not there to be changed.
        """
        fixed: dict[str, Json] = {"channel": place.chat, "ts": ts, "metadata": signature_of(turn, part)}
        await self._shown("chat.update", content, fixed)

    async def post_ephemeral(self, place: SlackDestination, markdown: str) -> None:
        """Say something that only the place's person sees, for a while."""
        fixed: dict[str, Json] = {"channel": place.chat, "user": place.person}
        thread: dict[str, Json] = {} if place.thread is None else {"thread_ts": place.thread}
        await self._shown("chat.postEphemeral", text_forms(markdown), fixed | thread)

    async def open_view(self, trigger: str, view: dict[str, Json]) -> None:
        """Open a form for who pressed a button; their `trigger` is good for three seconds."""
        await self.call("views.open", lambda: self._client.views_open(trigger_id=trigger, view=view))

    async def delete(self, place: SlackDestination, ts: str) -> None:
        """Take a message away; raises MessageGone when it is not there."""
        await self.call("chat.delete", lambda: self._client.chat_delete(channel=place.chat, ts=ts))

    async def start_stream(
        self, place: SlackDestination, chunks: Sequence[JsonObject], steps: str = ""
    ) -> str:
        """Begin a message that grows, with its cards as `steps` says; return its ts. Needs a thread."""
        answer = await self.call(
            "chat.startStream",
            lambda: self._client.chat_startStream(
                channel=place.chat,
                thread_ts=place.thread or "",
                recipient_user_id=place.person or None,
                recipient_team_id=place.team or None,
                chunks=[dict(chunk) for chunk in chunks],
                task_display_mode=steps or None,
            ),
        )
        return ts_of(answer)

    async def append_stream(self, place: SlackDestination, ts: str, chunks: Sequence[JsonObject]) -> None:
        """Append to it. Raises StreamEnded when it does not grow any more."""
        await self.call(
            "chat.appendStream",
            lambda: self._client.chat_appendStream(
                channel=place.chat, ts=ts, chunks=[dict(chunk) for chunk in chunks]
            ),
        )

    async def stop_stream(
        self,
        place: SlackDestination,
        ts: str,
        chunks: Sequence[JsonObject],
        turn: str,
        part: int,
        session: str = "",
        foot: Sequence[JsonObject] = (),
    ) -> None:
        """End it, signed, perhaps with another status for the thread's session and with blocks under it.

        Raises StreamEnded when it has ended before.
        """
        await self.call(
            "chat.stopStream",
            lambda: self._client.chat_stopStream(
                channel=place.chat,
                ts=ts,
                chunks=[dict(chunk) for chunk in chunks] or None,
                blocks=[dict(block) for block in foot] or None,
                metadata=signature_of(turn, part),
                session_status=session or None,
            ),
        )

    async def own_messages_since(
        self, place: SlackDestination, ts: str, me: str
    ) -> AsyncIterator[OwnMessage]:
        """Yield our own messages in a place after a moment, as far back as a few pages reach."""
        cursor = ""
        for _ in range(MOST_PAGES):
            answer = await self._page(place, ts, cursor)
            for message in answer.get("messages") or []:
                if message.get("user") == me and str(message.get("ts")) != place.thread:
                    yield parse_own_message(message)
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return

    async def _page(self, place: SlackDestination, oldest: str, cursor: str) -> AsyncSlackResponse:
        if place.thread is None:
            return await self.call(
                "conversations.history",
                lambda: self._client.conversations_history(
                    channel=place.chat, oldest=oldest, cursor=cursor, limit=200, include_all_metadata=True
                ),
            )
        thread = place.thread
        return await self.call(
            "conversations.replies",
            lambda: self._client.conversations_replies(
                channel=place.chat,
                ts=thread,
                oldest=oldest,
                cursor=cursor,
                limit=200,
                include_all_metadata=True,
            ),
        )

    async def _shown(
        self, method: str, content: Sequence[JsonObject], fixed: dict[str, Json]
    ) -> AsyncSlackResponse:
        """Send a content in the first of its forms that Slack takes. Raises TooLong where none holds it."""

        async def send(form: JsonObject) -> AsyncSlackResponse:
            body, chat = {**fixed, **form}, str(fixed["channel"])
            return await self.call(method, lambda: self._client.api_call(method, json=body), chat=chat)

        *better, last = content
        fits = len(str(last.get("text") or "")) <= MAX_PLAIN_TEXT
        for form in better:
            try:
                return await send(form)
            except FormatRefused as error:
                if isinstance(error, TooLong) and not fits:
                    raise
        if not fits:
            raise TooLong("as bare text this is more than Slack takes in one message")
        return await send(last)

    async def call(
        self,
        method: str,
        call: Callable[[], Awaitable[AsyncSlackResponse]],
        patience: float = 0.0,
        chat: str = "",
    ) -> AsyncSlackResponse:
        """Make one call of the client, which may take `patience` seconds."""
        try:
            async with self._budget.call(*counted_calls(method, chat)), self._sessions as session:
                self._client.session = session
                with map_sdk_errors():
                    async with asyncio.timeout(patience or self._config.request_timeout):
                        return await call()
        except AuthenticationRefused:
            self.refused.set()
            raise
