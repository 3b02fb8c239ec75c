"""DingTalk's open API as this channel needs it: few calls, our errors, one pool of connections.

Our own and not the SDK's: its calls block the event loop, open a pool each, and swallow every refusal.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import quote

import aiohttp

from parley.channels.dingtalk.config import Config
from parley.channels.dingtalk.errors import QPS_PAUSE, Unauthorized, legacy_refusal
from parley.channels.dingtalk.rate_limits import DingTalkLimits
from parley.channels.dingtalk.transport import DingTalkTransport
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.fields import compact_json, object_or_empty
from parley.channels.kit.files import file_gone, file_too_large, file_withheld, safe_name
from parley.channels.kit.http.download import download
from parley.channels.kit.http.oauth_token import AccessToken, TokenCache
from parley.channels.kit.http.pool import HttpPool
from parley.channels.kit.text import wellformed
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import (
    AuthenticationRefused,
    ChannelError,
    ChannelUnavailable,
    DeliveryRejected,
    RateLimited,
)
from parley.core.model.types import Json, JsonObject

TOKEN_EARLY = 300.0
"""Seconds before its end at which the access token is renewed."""


@dataclass(frozen=True, slots=True)
class DingTalkDestination:
    """Where messages go: a person by staff id, or a group by its conversation id."""

    private: bool
    id: str


@dataclass(frozen=True, slots=True)
class ConnectionTicket:
    """Leave to connect once, within ninety seconds."""

    endpoint: str
    ticket: str

    @property
    def url(self) -> str:
        """What to connect to; a secret."""
        return f"{self.endpoint}?ticket={quote(self.ticket, safe='')}"


class DingTalkApi:
    """One app and its robot. Every method raises ChannelError.

    `async with api.connected():` keeps the connections open for everybody meanwhile.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._budget = RateBudget()
        self._limits = DingTalkLimits(config.card_rate)
        self._url = config.api_url.rstrip("/")
        self._sessions = HttpPool()
        self._wire = DingTalkTransport(self._sessions, config.request_timeout)
        self.tokens = TokenCache(self._new_token, TOKEN_EARLY, _retry_pause)
        self.robot = config.robot_code or config.client_id

    def connected(self) -> HttpPool:
        """Return the connections, to be kept open with `async with`."""
        return self._sessions

    async def ticket(self, topics: tuple[str, ...]) -> ConnectionTicket:
        """Ask for leave to connect and hear of `topics`. Raises AuthenticationRefused."""
        body: JsonObject = {
            "clientId": self._config.client_id,
            "clientSecret": self._config.client_secret,
            "subscriptions": [{"type": "CALLBACK", "topic": topic} for topic in topics],
            "ua": "parley",
            "localIp": "127.0.0.1",
        }
        try:
            answer = await self._wire.call("POST", f"{self._url}/v1.0/gateway/connections/open", body)
        except Unauthorized as error:
            raise _unwelcome(error) from error
        except DeliveryRejected as error:
            raise ChannelUnavailable(f"DingTalk opens no connection: {error}") from error
        endpoint, ticket = answer.get("endpoint"), answer.get("ticket")
        if not isinstance(endpoint, str) or not isinstance(ticket, str) or not endpoint.startswith("ws"):
            raise ChannelUnavailable("DingTalk's leave to connect cannot be read")
        return ConnectionTicket(endpoint, ticket)

    async def send(self, place: DingTalkDestination, key: str, content: JsonObject) -> str:
        """Send a robot message of a kind (`sampleMarkdown`, say); return its key for queries."""
        body: dict[str, Json] = {"robotCode": self.robot, "msgKey": key, "msgParam": compact_json(content)}
        if place.private:
            body["userIds"] = [place.id]
            answer = await self.call("POST", "/v1.0/robot/oToMessages/batchSend", body)
            _check_receivers(answer, place.id)
        else:
            body["openConversationId"] = place.id
            answer = await self.call("POST", "/v1.0/robot/groupMessages/send", body)
        number = answer.get("processQueryKey")
        if not isinstance(number, str):
            raise ResponseLost("DingTalk's answer to a message was none")
        return number

    async def send_in_session(self, webhook: str, title: str, text: str, mention: str = "") -> None:
        """Answer where a message came from, by the address that it brought; mention somebody by staff id."""
        words = f"@{mention} {text}" if mention else text
        body: dict[str, Json] = {"msgtype": "markdown", "markdown": {"title": title, "text": words}}
        if mention:
            body["at"] = {"atUserIds": [mention], "isAtAll": False}
        if error := legacy_refusal(await self._wire.call("POST", webhook, body)):
            raise error

    def check_size(self, file: StoredFile) -> None:
        """Raise AttachmentRefused for a file that is too large to be handed over."""
        if file.size > self._config.max_file_out:
            raise file_too_large(self._config.max_file_out)

    async def upload(self, file: StoredFile, kind: str, opened: BinaryIO | None = None) -> str:
        """Hand a file over as `image`, `voice` or `file`; returns its media id. What is `opened` is its
        content, where that does not lie at its path.

        Raises AttachmentRefused when the file is too large or not there.
        """
        self.check_size(file)

        async def send(token: str) -> JsonObject:
            url = f"{self._config.oapi_url.rstrip('/')}/media/upload?access_token={quote(token)}&type={kind}"
            with await asyncio.to_thread(_content, file, opened) as content:
                # Otherwise file names arrive with their letters percent-escaped.
                form = aiohttp.FormData(quote_fields=False)
                form.add_field("media", content, filename=safe_name(file.name), content_type=file.mime)
                answer = await self._wire.upload(url, form)
            if error := legacy_refusal(answer):
                raise error
            return answer

        try:
            media = (await self._authorized(send)).get("media_id")
        except FileNotFoundError as error:
            raise file_gone() from error
        if not isinstance(media, str):
            raise ChannelUnavailable("DingTalk's answer to an upload was none")
        return media

    async def fetch(self, robot: str, code: str, into: Path, limit: int) -> int:
        """Stream a file of a message; returns the number of bytes. Raises AttachmentRefused."""
        body: JsonObject = {"robotCode": robot or self.robot, "downloadCode": code}
        try:
            answer = await self.call("POST", "/v1.0/robot/messageFiles/download", body)
        except DeliveryRejected as error:
            raise file_withheld("DingTalk does not hand it out (expired, or gone)") from error
        url = answer.get("downloadUrl")
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise file_withheld("DingTalk gave no address for it")
        async with self._sessions as session:
            return await download(session, url, into, limit)

    async def name_of(self, person: str) -> str:
        """Return the name of one of our people, by staff id: the newer API knows other ids only."""

        async def ask(token: str) -> JsonObject:
            url = f"{self._config.oapi_url.rstrip('/')}/topapi/v2/user/get?access_token={quote(token)}"
            answer = await self._wire.call("POST", url, {"userid": person})
            if error := legacy_refusal(answer):
                raise error
            return answer

        name = object_or_empty(await self._authorized(ask), "result").get("name")
        if not isinstance(name, str):
            raise ChannelUnavailable("DingTalk's answer about a person was none")
        return wellformed(name)

    async def call(self, method: str, path: str, body: JsonObject) -> JsonObject:
        """Make a call with the access token."""
        async with self._budget.call(*self._limits.counted_calls(path, body)):
            return await self._authorized(
                lambda token: self._wire.call(method, self._url + path, body, token)
            )

    async def _authorized(self, call: Callable[[str], Awaitable[JsonObject]]) -> JsonObject:
        """Make a call; where its token is refused, once more with a new one."""
        try:
            return await self.tokens.call(Unauthorized, call)
        except Unauthorized as error:
            raise ChannelUnavailable(f"DingTalk takes no access token: {error}") from error

    async def _new_token(self) -> AccessToken:
        body: JsonObject = {"appKey": self._config.client_id, "appSecret": self._config.client_secret}
        try:
            answer = await self._wire.call("POST", f"{self._url}/v1.0/oauth2/accessToken", body)
        except DeliveryRejected as error:
            raise _unwelcome(error) from error
        value, life = answer.get("accessToken"), answer.get("expireIn")
        if not isinstance(value, str) or not value or not isinstance(life, int | float) or life <= 0:
            raise ChannelUnavailable("DingTalk's answer to the credentials was none")
        return AccessToken(value, life)


def _retry_pause(error: ChannelError) -> float:
    """Return the seconds until the next attempt to renew the access token."""
    return error.retry_after if isinstance(error, RateLimited) else 10.0


def _content(file: StoredFile, opened: BinaryIO | None) -> BinaryIO:
    """Open what is uploaded, from its beginning: it is closed after each attempt."""
    if opened is None:
        return Path(file.path).open("rb")
    opened.seek(0)
    return os.fdopen(os.dup(opened.fileno()), "rb")


def file_type(name: str) -> str:
    """Return what DingTalk calls the kind of a file: the letters after its last dot."""
    return PurePosixPath(name).suffix[1:].lower() or "bin"


def _unwelcome(error: DeliveryRejected) -> AuthenticationRefused:
    why = f"DingTalk refused the credentials, or the app is switched off ({error})"
    return AuthenticationRefused(why, "client_id", "client_secret")


def _check_receivers(answer: JsonObject, staff: str) -> None:
    """Raise for somebody whom a message sent with success does not reach."""
    for name in ("invalidStaffIdList", "flowControlledStaffIdList"):
        listed = answer.get(name)
        if isinstance(listed, list) and staff in listed:
            if name.startswith("flow"):
                raise RateLimited("DingTalk asks for a pause with this person", 10 * QPS_PAUSE)
            raise DeliveryRejected("DingTalk knows nobody of this staff id here")
