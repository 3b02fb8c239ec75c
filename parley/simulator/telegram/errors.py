"""What the Bot API answers when it does not do as asked, in the platform's own words."""

from __future__ import annotations


class TelegramErrorResponse(Exception):
    """An answer with `ok: false`. `retry_after` is whole seconds, `moved_to` a chat's new id; 0 for none."""

    def __init__(self, status: int, description: str, retry_after: int = 0, moved_to: int = 0) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.retry_after = retry_after
        self.moved_to = moved_to


def bad_request(reason: str) -> TelegramErrorResponse:
    """Return a 400 with the platform's prefix."""
    return TelegramErrorResponse(400, f"Bad Request: {reason}")


def forbidden(reason: str) -> TelegramErrorResponse:
    """Return a 403 with the platform's prefix."""
    return TelegramErrorResponse(403, f"Forbidden: {reason}")


def too_many(retry_after: int) -> TelegramErrorResponse:
    """Return a 429 with the seconds to wait."""
    return TelegramErrorResponse(429, f"Too Many Requests: retry after {retry_after}", retry_after)
