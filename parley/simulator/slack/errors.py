"""What Slack answers when it does not do as asked."""

from __future__ import annotations


class SlackErrorResponse(Exception):
    """An answer with `ok: false`. `needed` names a missing scope; 429 carries whole seconds to wait."""

    def __init__(self, error: str, status: int = 200, retry_after: int = 0, needed: str = "") -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.retry_after = retry_after
        self.needed = needed


def rate_limited(seconds: int) -> SlackErrorResponse:
    """Return a 429 with `Retry-After`."""
    return SlackErrorResponse("ratelimited", 429, seconds)
