"""DingTalk's refusals as Parley's errors.

What the core need not tell apart stays a subclass known here only:

DeliveryRejected
├── Unauthorized    the access token, or the app's credentials
└── CardExists      a card of this id was made before
ChannelUnavailable
└── ResponseLost    it may have been done: only the answer is missing
"""

from __future__ import annotations

import re

from parley.channels.kit.errors import ResponseLost
from parley.channels.kit.fields import number_or
from parley.core.model.errors import ChannelError, DeliveryRejected, RateLimited
from parley.core.model.types import Json, JsonObject

QPS_PAUSE = 1.0
"""Seconds to wait when DingTalk says "too many a second" and does not say for how long."""

_TOO_MANY = re.compile(r"qps|throttl|too\s?many|flow.?control|frequen", re.IGNORECASE)
_KNOWN = re.compile(r"duplicat|already|重复|已存在", re.IGNORECASE)
_STALE_TOKENS = frozenset({40014, 42001, 41001})
_SYSTEM_BUSY = frozenset({-1, 90018, 90002})
_MOST_WORDS = 200


class Unauthorized(DeliveryRejected):
    """DingTalk does not take the access token, or the credentials."""


class CardExists(DeliveryRejected):
    """What was to be made has been made before, by us."""


def refusal(status: int, body: JsonObject, retry_after: str = "") -> ChannelError:
    """Return the one of our errors that says what an answer with this status, at least 400, means."""
    code, words = _text(body.get("code")), _text(body.get("message"))
    told = f"{code}: {words}".strip(": ") or f"status {status}"
    if status == 429 or (status in (400, 403) and _TOO_MANY.search(code)):
        pause = min(3600.0, max(0.0, number_or(retry_after, QPS_PAUSE)))
        return RateLimited("DingTalk asks for a pause", pause)
    if status >= 500:
        return ResponseLost(f"DingTalk failed: {told}")
    if status == 401:
        return Unauthorized(f"DingTalk refused: {told}")
    if _KNOWN.search(told):
        return CardExists(f"DingTalk refused: {told}")
    return DeliveryRejected(f"DingTalk refused: {told}")


def legacy_refusal(body: JsonObject) -> ChannelError | None:
    """Return the same for the older API, which always answers 200 and has `errcode` 0 for success."""
    code = body.get("errcode")
    if code == 0:
        return None
    told = f"{code}: {_text(body.get('errmsg'))}"
    if code in _STALE_TOKENS or _text(body.get("sub_code")) in map(str, _STALE_TOKENS):
        return Unauthorized(f"DingTalk refused: {told}")
    if code in _SYSTEM_BUSY:
        return RateLimited("DingTalk asks for a pause", QPS_PAUSE)
    return DeliveryRejected(f"DingTalk refused: {told}")


def _text(value: Json) -> str:
    return str(value)[:_MOST_WORDS] if isinstance(value, str | int) else ""
