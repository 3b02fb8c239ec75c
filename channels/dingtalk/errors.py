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
SEND_PAUSE = 10.0
"""The same for "too fast": for messages to one chat, or from one robot."""
MINUTE_PAUSE = 60.0
"""The same for limits of calls a minute."""

_TOO_MANY = re.compile(r"qp[sm]|throttl|too[.\s]?many|too[.\s]?fast|flow.?control|frequen", re.IGNORECASE)
_A_MINUTE = re.compile(r"qpm|too[.\s]?many[.\s]?(?:group|people)", re.IGNORECASE)
_TOO_FAST = re.compile(r"too[.\s]?fast", re.IGNORECASE)
_USED_UP = "integrated.qps.exceed"
"""The organisation's calls of the day: DingTalk says to try again tomorrow."""
_STALE = frozenset({"InvalidAuthentication", "invalidParameter.token.invalid"})
"""What is said, with status 400, of an access token that ended or was withdrawn."""
_THROTTLED = 1111
_KNOWN = re.compile(r"duplicat|already|重复|已存在", re.IGNORECASE)
_STALE_TOKENS = frozenset({40014, 42001, 41001})
_SYSTEM_BUSY = frozenset({-1, 90018, 90002})
_MOST_WORDS = 200


class Unauthorized(DeliveryRejected):
    """DingTalk does not take the access token, or the credentials."""


class CardExists(DeliveryRejected):
    """What was to be made has been made before, by us."""


def refusal(status: int, body: JsonObject, retry_after: str = "") -> ChannelError:
    """Return the one of our errors that says what a refusal means: a status of at least 400, or a body that
    says that it did not work.
    """
    code, words = _text(body.get("code")), _text(body.get("message"))
    told = f"{code}: {words}".strip(": ") or f"status {status}"
    if code == _USED_UP:
        return DeliveryRejected(f"DingTalk takes no more calls of this organisation today: {told}")
    if status == 429 or (status < 500 and _TOO_MANY.search(code)):
        pause = min(3600.0, max(0.0, number_or(retry_after, _pause(code))))
        return RateLimited("DingTalk asks for a pause", pause)
    if status >= 500:
        return ResponseLost(f"DingTalk failed: {told}")
    if status == 401 or code in _STALE:
        return Unauthorized(f"DingTalk refused: {told}")
    if _KNOWN.search(told):
        return CardExists(f"DingTalk refused: {told}")
    return DeliveryRejected(f"DingTalk refused: {told}")


def unsuccessful(body: JsonObject) -> ChannelError | None:
    """Return what an answer with status 200 means that is no success: the throttle's, or one that says so."""
    if body.get("status") == _THROTTLED:
        return RateLimited("DingTalk asks this address for a pause", min(3600.0, _wait(body)))
    if body.get("success") is False or body.get("result") is False:
        return refusal(200, body)
    return None


def _wait(body: JsonObject) -> float:
    return max(QPS_PAUSE, number_or(body.get("wait"), SEND_PAUSE))


def _pause(code: str) -> float:
    if _A_MINUTE.search(code):
        return MINUTE_PAUSE
    return SEND_PAUSE if _TOO_FAST.search(code) else QPS_PAUSE


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
