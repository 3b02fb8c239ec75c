"""Payloads that Slack posts to us. It is told that it has been heard only when they are on disk."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from hmac import compare_digest
from typing import TypeAlias
from urllib.parse import parse_qsl

from slack_sdk.signature import SignatureVerifier
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from parley.channels.kit.text import wellformed
from parley.channels.kit.webhook import Webhook, read_body, text_response
from parley.channels.slack.config import HOOK_PATH
from parley.core.model.types import Json, JsonObject

log = logging.getLogger(__name__)

MAX_BODY = 2 << 20
"""Bytes of a post. Slack tells no limit; its longest messages, with blocks, stay far below."""
MOST_FIELDS = 100
_FRESH = 300.0
"""Seconds that a timestamp is good for, as Slack advises."""
_FORM = "application/x-www-form-urlencoded"

PayloadHandler: TypeAlias = "Callable[[JsonObject], Awaitable[JsonObject | None]]"
"""Hears a payload, and tells what to answer Slack; None when Slack may not forget it yet."""


class EventsApiEndpoint:
    """The door for Slack's own posts. While nobody listens it answers 503, so that they come again.

    Slack takes an answer within three seconds only: what is not on disk after `patience` seconds is
    answered 503, too. `clock` gives Unix time.
    """

    def __init__(self, secret: str, patience: float = 2.5, clock: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._patience = patience
        self._clock = clock
        self._hear: PayloadHandler | None = None

    def routes(self) -> Sequence[BaseRoute]:
        """Return the door itself."""
        return (Webhook(HOOK_PATH, self._post, methods=["POST"]),)

    @contextmanager
    def open(self, hear: PayloadHandler) -> Iterator[None]:
        """Hand what is posted to `hear` meanwhile."""
        self._hear = hear
        try:
            yield
        finally:
            self._hear = None

    async def _post(self, request: Request) -> Response:
        # Before the body is read: whoever cannot even write a fresh timestamp is not worth two megabytes.
        if not self._is_fresh(request):
            return text_response(401, "the timestamp is missing, or too old")
        body = await read_body(request, MAX_BODY, self._patience)
        if len(body) > MAX_BODY:
            log.warning("slack: a post of more than %d bytes is refused", MAX_BODY)
            return text_response(413, "too large")
        if not self._is_signed(request, body):
            return text_response(401, "the signature is wrong")
        payload = parse_payload(body, request.headers.get("content-type", ""))
        if payload is None:
            log.warning("slack: something that is no payload was posted with the right signature")
            return text_response(400, "no payload")
        if payload.get("type") == "url_verification":
            return JSONResponse({"challenge": wellformed(str(payload.get("challenge")))})
        return await self._take(payload)

    async def _take(self, payload: JsonObject) -> Response:
        if self._hear is None:
            return text_response(503, "nobody listens yet")
        try:
            async with asyncio.timeout(self._patience):
                heard = await self._hear(payload)
        except TimeoutError:
            log.warning("slack: a post could not be stored in time; Slack is asked to send it again")
            heard = None
        if heard is None:
            return text_response(503, "please again later")
        # An answer may become a message in the chat: where there is nothing to say it stays empty.
        return JSONResponse(dict(heard)) if heard else Response(status_code=200)

    def _is_fresh(self, request: Request) -> bool:
        stamp = request.headers.get("x-slack-request-timestamp", "")
        return stamp.isdecimal() and len(stamp) < 16 and abs(self._clock() - int(stamp)) <= _FRESH

    def _is_signed(self, request: Request, body: bytes) -> bool:
        stamp, signature = (
            request.headers.get(name, "") for name in ("x-slack-request-timestamp", "x-slack-signature")
        )
        try:
            right = SignatureVerifier(self._secret).generate_signature(timestamp=stamp, body=body) or ""
        except UnicodeDecodeError:
            return False
        return compare_digest(signature.encode("latin-1"), right.encode())


def parse_payload(body: bytes, content_type: str) -> JsonObject | None:
    """Return the payload of a post: an object of JSON, or of a form's field `payload`, or the form itself."""
    try:
        if content_type.partition(";")[0].strip().lower() != _FORM:
            return _object(json.loads(body))
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
        return _object(json.loads(fields["payload"])) if "payload" in fields else dict(fields)
    except (ValueError, RecursionError):
        return None


def _object(value: Json) -> JsonObject | None:
    return value if isinstance(value, dict) else None
