"""What the open platform answers when it does not do as asked: a code, a text, and an HTTP status."""

from __future__ import annotations


class FeishuErrorResponse(Exception):
    """An answer with a code other than 0. `reset` is the seconds of a rate limit's header, 0 for none."""

    def __init__(self, code: int, message: str, status: int = 400, reset: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.reset = reset


def invalid(what: str) -> FeishuErrorResponse:
    """Return a field that is missing or not as it should be."""
    return FeishuErrorResponse(99992402, f"field validation failed: {what}")


def too_many(reset: int) -> FeishuErrorResponse:
    """Return a rate limit, over in `reset` seconds."""
    return FeishuErrorResponse(99991400, "request trigger frequency limit", 429, reset)


def bad_card(reason: str) -> FeishuErrorResponse:
    """Return a card that cannot be shown."""
    return FeishuErrorResponse(230099, f"Failed to create card content, ext={reason}")


TOO_LONG = "The length of the message content reaches its limit."


def too_long() -> FeishuErrorResponse:
    """Return a message over its size limit."""
    return FeishuErrorResponse(230025, TOO_LONG)


def no_scope(scope: str) -> FeishuErrorResponse:
    """Return a permission that the app was not given."""
    return FeishuErrorResponse(99991672, f"Access denied. One of the following scopes is required: [{scope}]")


def no_permission() -> FeishuErrorResponse:
    """Return a permission that reading needs, which Feishu does not name here."""
    return FeishuErrorResponse(230027, "Lack of necessary permissions.")
