"""Feishu's refusals as Parley's errors.

What the core need not tell apart stays a subclass known here only:

DeliveryRejected
├── PlaceLost         the chat will take nothing from us any more
├── MessageWithdrawn  the message to answer, or to change, was taken back
├── ScopeMissing      the app was not given a permission
├── CardRefused       the card itself is not taken, now or ever
├── ReactionGone      the reaction is not there, or is somebody else's
├── StreamingClosed   the card no longer streams
└── StaleSequence     a card operation with a number that was passed already
ChannelUnavailable
├── ResponseLost      it may have been done: only the answer is missing
└── TokenRefused      the access token is no longer taken; a new one is
"""

from __future__ import annotations

from collections.abc import Mapping

from parley.core.model.errors import (
    AuthenticationRefused,
    ChannelError,
    ChannelUnavailable,
    DeliveryRejected,
    RateLimited,
)

DEFAULT_PAUSE = 1.0
LONGEST_PAUSE = 120.0


class PlaceLost(DeliveryRejected):
    """The bot is out of the chat, or out of reach of the person."""


class MessageWithdrawn(DeliveryRejected):
    """The message was taken back or deleted."""


class ScopeMissing(DeliveryRejected):
    """The app lacks a permission; Feishu's text names it."""


class ReactionGone(DeliveryRejected):
    """The reaction is not there, or is somebody else's."""


class CardRefused(DeliveryRejected):
    """The card is too large, or not made as Feishu wants it."""


class StreamingClosed(DeliveryRejected):
    """Streaming mode was ended, by us or after ten minutes by Feishu."""


class StaleSequence(DeliveryRejected):
    """Another operation on the card had a higher number."""


class TokenRefused(ChannelUnavailable):
    """The access token is not taken (any more)."""


_LIMITS = frozenset({99991400, 230020, 11020, 11021, 11232, 11233, 11247})
_TOKENS = frozenset({99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677})
CARD_PRESSED = 200810
"""The card is in an interaction: somebody pressed one of its buttons, and is not answered yet."""
_BUSY = frozenset(
    {1, 1500, 1551, 2200, 5000, 55001, 190004, 190005, CARD_PRESSED, 230049, 231015, 1000040343}
)
_CREDENTIALS = {
    10003: "Feishu does not know this app_id",
    10012: "Feishu refused the app's credentials",
    10014: "Feishu refused the app_secret",
    10015: "Feishu refused the app_secret",
    99991543: "Feishu refused the app_id and app_secret",
    1000040344: "Feishu refused the app_id and app_secret",
    1000040345: "Feishu refused the app_id and app_secret",
    1000040346: "Feishu does not know this app_id",
    1000040351: "the app lives on the other platform: set its `domain` to lark (or to feishu)",
}
_CONNECTIONS = 1000040350
_REJECTIONS: dict[int, type[DeliveryRejected]] = {
    230002: PlaceLost,
    230006: PlaceLost,
    230013: PlaceLost,
    230017: PlaceLost,
    230018: PlaceLost,
    230035: PlaceLost,
    230011: MessageWithdrawn,
    230110: MessageWithdrawn,
    231003: MessageWithdrawn,
    231007: ReactionGone,
    231010: ReactionGone,
    231011: ReactionGone,
    230027: ScopeMissing,
    99991672: ScopeMissing,
    99991679: ScopeMissing,
    11246: CardRefused,
    11310: CardRefused,
    200220: CardRefused,
    200860: CardRefused,
    200861: CardRefused,
    230025: CardRefused,
    230099: CardRefused,
    300305: CardRefused,
    200850: StreamingClosed,
    300309: StreamingClosed,
    300317: StaleSequence,
}
_REMEDIES = {
    230013: " The app is not available to this person: widen its availability, and publish a version.",
    230027: " To read in groups the app needs the scope im:message.group_msg.",
}
"""What Feishu's own text does not say."""


def refusal(code: int, message: str, status: int, headers: Mapping[str, str]) -> ChannelError:
    """Return the one of our errors that says what an answer other than `code` 0 means."""
    if status == 429 or code in _LIMITS:
        return RateLimited("Feishu asks for a pause", _pause(headers))
    if code in _TOKENS:
        return TokenRefused("Feishu no longer takes the access token")
    if code in _CREDENTIALS:
        return AuthenticationRefused(f"{_CREDENTIALS[code]} (code {code})", "app_id", "app_secret", "domain")
    if code == _CONNECTIONS:
        return too_many_connections()
    if status >= 500 or code in _BUSY:
        return ChannelUnavailable(f"Feishu is busy (status {status}, code {code})")
    kind = _REJECTIONS.get(code, DeliveryRejected)
    return kind(f"Feishu refused (code {code}): {message[:300]}{_REMEDIES.get(code, '')}")


def too_many_connections() -> ChannelUnavailable:
    """Return what is said where more programs are connected with this app than Feishu allows."""
    return ChannelUnavailable(
        "Feishu allows an app 50 long connections and all are taken; stop other programs with this app_id"
    )


def _pause(headers: Mapping[str, str]) -> float:
    for name in ("x-ogw-ratelimit-reset", "Retry-After"):
        try:
            return min(LONGEST_PAUSE, max(0.1, float(headers[name])))
        except (KeyError, ValueError):
            continue
    return DEFAULT_PAUSE
