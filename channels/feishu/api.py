"""The open platform as this channel needs it: few calls, our errors, tokens kept inside."""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import aiohttp

from parley.channels.feishu.bot_info import FeishuBot, read_bot
from parley.channels.feishu.config import Config
from parley.channels.feishu.errors import MessageWithdrawn, TokenRefused
from parley.channels.feishu.rate_limits import SPEECH, counted_calls
from parley.channels.feishu.transport import FeishuTransport
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.kit.fields import compact_json, object_or_empty
from parley.channels.kit.files import file_gone
from parley.channels.kit.http.oauth_token import AccessToken, TokenCache
from parley.channels.kit.http.pool import HttpPool
from parley.core.model.attachments import StoredFile
from parley.core.model.errors import AuthenticationRefused, ChannelError, ChannelUnavailable, DeliveryRejected
from parley.core.model.types import Json, JsonObject

log = logging.getLogger(__name__)

_IM = "/open-apis/im/v1"
_CARDS = "/open-apis/cardkit/v1/cards"
_BOT = "/open-apis/bot/v3/info"
# Feishu gives the same token again until thirty minutes before its end.
TOKEN_EARLY = 25 * 60.0
LOOKUP_TIMEOUT = 1.5
"""Seconds for what is only nice to know: an event must be acknowledged within three."""
_READ = {"card_msg_content_type": "user_card_content", "with_sender_name": "true"}
"""Whatever is read comes with all of its content, and who wrote it."""


@dataclass(frozen=True, slots=True)
class FeishuDestination:
    """Where messages go: a chat, the message that is answered ("" for none), and whether in its thread."""

    chat: str
    answered: str = ""
    in_thread: bool = False


class FeishuApi:
    """One app. Every method raises ChannelError.

    `async with api.connected():` keeps the connections open for everybody meanwhile.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._budget = RateBudget()
        self._sessions = HttpPool()
        self._wire = FeishuTransport(self._sessions, config.domain, config.request_timeout)
        self.tokens = TokenCache(self._new_token, TOKEN_EARLY, _renewal_failed)

    @property
    def app_id(self) -> str:
        """Return who we are as a message's sender."""
        return self._config.app_id

    def connected(self) -> HttpPool:
        """Return the connections, to be kept open with `async with`."""
        return self._sessions

    async def bot(self) -> FeishuBot:
        """Return who the bot is. Raises AuthenticationRefused for an app without one."""
        missing = "the app has no bot: switch it on under its features, and publish a version"
        try:
            answer = await self._call("GET", _BOT)
        except DeliveryRejected as error:
            raise AuthenticationRefused(f"{missing} ({error.user_text})") from error
        found = read_bot(answer)
        if found is None:
            raise AuthenticationRefused(
                "the app has no bot: switch it on under Features, and publish the app"
            )
        return found

    async def endpoint(self) -> JsonObject:
        """Return where to open the long connection and how to keep it: `URL` (a secret), `ClientConfig`."""
        body = {"AppID": self._config.app_id, "AppSecret": self._config.app_secret}
        try:
            answer = await self._wire.call("POST", "/callback/ws/endpoint", body, timeout=8.0)
        except DeliveryRejected as error:
            raise ChannelUnavailable(f"no long connection: {error.user_text}") from error
        return object_or_empty(answer, "data")

    async def name_of(self, person: str) -> str:
        """Return a person's name. Raises ScopeMissing when we may not know."""
        path = f"/open-apis/contact/v3/users/{quote(person, safe='')}"
        answer = await self._call("GET", path, query={"user_id_type": "open_id"}, timeout=LOOKUP_TIMEOUT)
        return str(object_or_empty(object_or_empty(answer, "data"), "user").get("name") or "")

    async def message(self, message: str) -> tuple[JsonObject, ...]:
        """Return a message, a card with all of its content; after a forwarded conversation its messages."""
        query = _READ | {"user_id_type": "open_id"}
        found = items_in(await self._call("GET", _message(message), query=query, timeout=LOOKUP_TIMEOUT))
        if not found:
            raise MessageWithdrawn("Feishu has no such message")
        return found

    async def messages(self, query: dict[str, str]) -> JsonObject:
        """Return a page of what was said in a chat or a topic. Raises ScopeMissing when we may not know."""
        answer = await self._call("GET", f"{_IM}/messages", query=_READ | query)
        return object_or_empty(answer, "data")

    async def granted_scopes(self) -> frozenset[str]:
        """Return what the app may do. No permission is needed to ask that."""
        answer = await self._call("GET", "/open-apis/application/v6/scopes", timeout=8.0)
        found = items_in(answer, "scopes")
        return frozenset(str(each.get("scope_name")) for each in found if each.get("grant_status") == 1)

    async def send(self, place: FeishuDestination, kind: str, content: JsonObject, uuid: str) -> str:
        """Send a message; return its id. The same `uuid` (50 characters at most) within an hour sends nothing
        more and returns the same id."""
        body: dict[str, Json] = {"msg_type": kind, "content": compact_json(content), "uuid": uuid}
        if place.answered:
            try:
                more: dict[str, Json] = {"reply_in_thread": place.in_thread}
                path = f"{_message(place.answered)}/reply"
                return _id(await self._call("POST", path, body | more, chat=place.chat))
            except MessageWithdrawn:
                # The question is gone; the answer is still owed.
                log.info("feishu: the message to answer is gone; the answer is sent to its chat")
        body["receive_id"] = place.chat
        query = {"receive_id_type": "chat_id"}
        return _id(await self._call("POST", f"{_IM}/messages", body, query=query, chat=place.chat))

    async def patch(self, message: str, card: JsonObject) -> None:
        """Give another card to a message that was sent with its card in it."""
        await self._call("PATCH", _message(message), {"content": compact_json(card)})

    async def recall(self, message: str) -> None:
        """Take a message back."""
        await self._call("DELETE", _message(message))

    async def react(self, message: str, emoji: str) -> str:
        """React to a message; return the reaction's id."""
        body: JsonObject = {"reaction_type": {"emoji_type": emoji}}
        answer = await self._call("POST", f"{_message(message)}/reactions", body)
        return str(object_or_empty(answer, "data").get("reaction_id") or "")

    async def take_reaction_away(self, message: str, reaction: str) -> None:
        """Take a reaction of ours away. Raises ReactionGone."""
        await self._call("DELETE", f"{_message(message)}/reactions/{quote(reaction, safe='')}")

    async def reactions_of_apps(self, message: str, emoji: str) -> tuple[str, ...]:
        """Return the ids of the reactions of a kind that apps set to a message, ours among them."""
        answer = await self._call("GET", f"{_message(message)}/reactions", query={"reaction_type": emoji})
        own = (
            each
            for each in items_in(answer)
            if object_or_empty(each, "operator").get("operator_type") == "app"
        )
        return tuple(str(each.get("reaction_id")) for each in own)

    async def create_card(self, card: JsonObject) -> str:
        """Create a card entity, still unseen; return its id."""
        answer = await self._call("POST", _CARDS, {"type": "card_json", "data": compact_json(card)})
        found = object_or_empty(answer, "data").get("card_id")
        if not isinstance(found, str):
            raise ChannelUnavailable("Feishu's answer had no card in it")
        return found

    async def stream(self, card: str, element: str, text: str, sequence: int) -> None:
        """Send the whole text of an element of a streaming card."""
        path = f"{_CARDS}/{card}/elements/{element}/content"
        await self._call("PUT", path, {"content": text, "sequence": sequence})

    async def resume_streaming(self, card: str, sequence: int) -> None:
        """Begin streaming mode again, which ends by itself after ten minutes."""
        settings = compact_json({"config": {"streaming_mode": True}})
        await self._call("PATCH", f"{_CARDS}/{card}/settings", {"settings": settings, "sequence": sequence})

    async def replace_card(self, card: str, content: JsonObject, sequence: int) -> None:
        """Give another card to an entity, streaming or not."""
        inner: dict[str, Json] = {"type": "card_json", "data": compact_json(content)}
        await self._call("PUT", f"{_CARDS}/{card}", {"card": inner, "sequence": sequence})

    async def recognize(self, samples: bytes) -> str:
        """Return what is said in samples of a minute at most. Raises ScopeMissing when we may not ask."""
        body: dict[str, Json] = {
            "speech": {"speech": base64.b64encode(samples).decode()},
            "config": {"file_id": secrets.token_hex(8), "format": "pcm", "engine_type": "16k_auto"},
        }
        answer = await self._call("POST", SPEECH, body)
        return str(object_or_empty(answer, "data").get("recognition_text") or "")

    async def download(self, message: str, key: str, kind: str, into: Path, limit: int) -> int:
        """Stream an `image` or a `file` of a message; return the number of bytes."""
        path = f"{_message(message)}/resources/{quote(key, safe='')}"
        return await self.tokens.call(
            TokenRefused, lambda token: self._wire.download(path, kind, token, into, limit)
        )

    async def upload(self, kind: str, file: StoredFile, fields: dict[str, str]) -> str:
        """Upload an `image` or a `file` for messages; return its key. Raises AttachmentRefused."""

        def form(content: object) -> aiohttp.FormData:
            made = aiohttp.FormData(quote_fields=False)
            for key, value in fields.items():
                made.add_field(key, value)
            made.add_field(kind, content, filename=kind, content_type="application/octet-stream")
            return made

        async def upload(token: str) -> dict[str, Json]:
            with await asyncio.to_thread(Path(file.path).open, "rb") as content:
                return await self._wire.upload(f"{_IM}/{kind}s", lambda: form(content), token)

        try:
            answer = await self.tokens.call(TokenRefused, upload)
        except FileNotFoundError as error:
            raise file_gone() from error
        key = object_or_empty(answer, "data").get(f"{kind}_key")
        if not isinstance(key, str):
            raise ChannelUnavailable("Feishu's answer to an upload had no key in it")
        return key

    async def _call(
        self,
        method: str,
        path: str,
        body: JsonObject | None = None,
        *,
        query: dict[str, str] | None = None,
        timeout: float = 0.0,
        chat: str = "",
    ) -> dict[str, Json]:
        async with self._budget.call(*counted_calls(method, path, chat)):
            return await self.tokens.call(
                TokenRefused,
                lambda token: self._wire.call(method, path, body, query=query, token=token, timeout=timeout),
            )

    async def _new_token(self) -> AccessToken:
        body = {"app_id": self._config.app_id, "app_secret": self._config.app_secret}
        path = "/open-apis/auth/v3/tenant_access_token/internal"
        answer = await self._wire.call("POST", path, body, timeout=8.0)
        token, life = answer.get("tenant_access_token"), answer.get("expire")
        if not isinstance(token, str) or not isinstance(life, int | float):
            raise ChannelUnavailable("Feishu's answer had no access token in it")
        # It is not used in its last minute.
        return AccessToken(token, max(life - 60.0, life / 2))


def _renewal_failed(error: ChannelError) -> float:
    """Return the seconds until the next attempt to renew the access token."""
    log.warning("feishu: the access token could not be renewed (%s)", error)
    return 20.0


def _message(message: str) -> str:
    return f"{_IM}/messages/{quote(message, safe='')}"


def items_in(answer: JsonObject, key: str = "items") -> tuple[JsonObject, ...]:
    """Return the objects that are listed in an answer's data."""
    found = object_or_empty(answer, "data").get(key)
    return tuple(each for each in found if isinstance(each, dict)) if isinstance(found, list) else ()


def _id(answer: JsonObject) -> str:
    found = object_or_empty(answer, "data").get("message_id")
    if not isinstance(found, str) or not found:
        raise ChannelUnavailable("Feishu's answer to a send had no message in it")
    return found
