"""Telegram's refusals as Parley's errors.

What the core need not tell apart stays a subclass known here only:

DeliveryRejected
├── FormatRefused   the marks on a text; the text itself may pass
├── NotModified     the message is already so
├── MessageGone     the message to change is not there, or not ours
├── RichRefused     a rich message; as a plain one it may pass
├── PlaceClosed     the bot was blocked, or taken out of the group
├── ProxyRefused    a status that the Bot API itself does not use, mostly from a proxy in front of it
└── MigratedToSupergroup   the group has become a supergroup with another id
ChannelUnavailable
├── WebhookContended    another call sets the webhook at this moment
└── ResponseLost    it may have been done: only the answer is missing
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    TelegramError,
)

from parley.channels.kit.errors import FormatRefused, MessageGone, ResponseLost
from parley.channels.kit.fields import MALFORMED
from parley.core.model.errors import (
    AuthenticationRefused,
    ChannelError,
    ChannelUnavailable,
    DeliveryRejected,
    RateLimited,
    StoreUnavailable,
)


class NotModified(DeliveryRejected):
    """The message already is as it was to become."""


class RichRefused(DeliveryRejected):
    """Telegram did not take a rich message; `unknown` says that it takes none at all."""

    def __init__(self, user_text: str, *, unknown: bool) -> None:
        super().__init__(user_text)
        self.unknown = unknown


class PlaceClosed(DeliveryRejected):
    """The bot may not write there: it was blocked, or taken out of the group."""


class ProxyRefused(DeliveryRejected):
    """A request was refused for good with a status that says nothing about the bot."""


class WebhookContended(ChannelUnavailable):
    """Another call sets the webhook at this moment: mostly that of another node."""


class MigratedToSupergroup(DeliveryRejected):
    """The group has become the supergroup `chat`."""

    def __init__(self, user_text: str, chat: int) -> None:
        super().__init__(user_text)
        self.chat = chat


class Flood(TelegramError):
    """429. Our own, because the SDK's warns about its own unit of time."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"Too Many Requests: retry after {retry_after:g}")
        self.retry_after = retry_after


class UnknownMethod(TelegramError):
    """404: this server does not know the method (or the token has no token's form)."""


class RequestFailed(NetworkError):
    """Nothing of the Bot API came back; `error` says what that means."""

    def __init__(self, error: ChannelError) -> None:
        super().__init__(error.user_text)
        self.error = error


_FORMAT = ("entit", "can't parse", "url", "invalid markup")
_GONE = (
    "message to edit not found",
    "message can't be edited",
    "message_id_invalid",
    "message to delete not found",
    "message to react not found",
)


def translate(error: TelegramError) -> ChannelError:
    """Return the one of our errors that says what this one means."""
    match error:
        case Flood():
            return RateLimited("Telegram asks for a pause", error.retry_after)
        case InvalidToken():
            return AuthenticationRefused("Telegram refused the bot token", "bot_token")
        case Conflict():
            return _conflict(error.message.lower())
        case ChatMigrated():
            return MigratedToSupergroup("the group has become a supergroup", error.new_chat_id)
        case BadRequest():
            return _refusal(error.message)
        case Forbidden() | UnknownMethod():
            kind = PlaceClosed if isinstance(error, Forbidden) else DeliveryRejected
            return kind(f"Telegram refused: {error.message}")
        case RequestFailed():
            return error.error
        case _:
            return ResponseLost(f"Telegram gave no answer: {error.message}")


def _conflict(message: str) -> ChannelError:
    if "other setwebhook" in message:
        return WebhookContended("the webhook is being set by another call")
    what = "has set a webhook" if "webhook" in message else "polls Telegram"
    return ChannelUnavailable(
        f"another program {what} with this bot token; stop it, or give Parley a bot of its own"
    )


def _refusal(message: str) -> ChannelError:
    lower = message.lower()
    if "message is not modified" in lower:
        return NotModified(message)
    if any(part in lower for part in _GONE):
        return MessageGone(message)
    if any(part in lower for part in _FORMAT):
        return FormatRefused(message)
    return DeliveryRejected(f"Telegram refused: {message}")


@contextmanager
def map_sdk_errors() -> Iterator[None]:
    """Turn the SDK's errors into ours."""
    try:
        yield
    except TelegramError as error:
        raise translate(error) from error
    except MALFORMED as error:
        # The SDK reads results without looking: of one that makes no sense nobody knows what it says.
        raise ResponseLost("Telegram's answer makes no sense") from error


@contextmanager
def map_store_errors() -> Iterator[None]:
    """Turn a store that is away into a delivery to be tried again."""
    try:
        yield
    except StoreUnavailable as error:
        raise ChannelUnavailable("a question's buttons cannot be kept just now") from error
