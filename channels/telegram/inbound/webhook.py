"""Updates that Telegram posts to us. It is told that it has been heard only when the update is on disk."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from parley.channels.kit.webhook import Webhook, read_body, text_response
from parley.channels.telegram.config import HOOK_PATH
from parley.channels.telegram.inbound.update_handler import (
    TelegramInboundContext,
    UpdateHandler,
    update_id_of,
)
from parley.core.model.errors import StoreUnavailable
from parley.core.model.types import Json
from parley.core.ports.journal import log_store_failure

log = logging.getLogger(__name__)

MAX_BODY = 1 << 20
"""Bytes of an update; Telegram's largest are far below."""

_SECRET = "x-telegram-bot-api-secret-token"  # noqa: S105 - a header's name


class TelegramWebhook:
    """The door for Telegram's own posts. While nobody listens it answers 503, so that they come again."""

    def __init__(self, secret: str, intake: UpdateHandler) -> None:
        self._secret = secret.encode()
        self._intake = intake
        self._listener: TelegramInboundContext | None = None

    def routes(self) -> Sequence[BaseRoute]:
        """Return the door itself."""
        return (Webhook(HOOK_PATH, self._post, methods=["POST"]),)

    @contextmanager
    def open(self, listener: TelegramInboundContext) -> Iterator[None]:
        """Hand what is posted to `listener` meanwhile."""
        self._listener = listener
        try:
            yield
        finally:
            self._listener = None

    async def _post(self, request: Request) -> Response:
        said = request.headers.get(_SECRET, "").encode("latin-1")
        if not compare_digest(said, self._secret):
            return text_response(401, "the secret token is wrong")
        listener = self._listener
        if listener is None:
            return text_response(503, "nobody listens yet")
        body = await read_body(request, MAX_BODY)
        if len(body) > MAX_BODY:
            log.warning("telegram: a posted update of more than %d bytes is refused", MAX_BODY)
            return text_response(413, "too large")
        try:
            raw: Json = json.loads(body)
        except (ValueError, RecursionError):
            log.warning("telegram: something that is no update was posted with the right secret")
            return text_response(400, "no JSON")
        return await self._take(raw, listener)

    async def _take(self, raw: Json, listener: TelegramInboundContext) -> Response:
        try:
            await self._intake.take(raw, listener)
        except StoreUnavailable as error:
            log_store_failure(
                log.warning, "telegram: update %s waits, the store is away (%s)", update_id_of(raw), error
            )
            return text_response(503, "please again later")
        return text_response(200, "ok")
