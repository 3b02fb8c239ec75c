"""What Slack counts for an app: calls of each method in a minute, and messages to each chat."""

from __future__ import annotations

from parley.channels.kit.budget.limits import CountedCalls, RateLimit

# https://docs.slack.dev/apis/web-api/rate-limits: lower bounds; Slack may allow more.
TIERS = {
    "chat.appendStream": 100,
    "chat.delete": 50,
    "chat.startStream": 20,
    "chat.stopStream": 20,
    "chat.update": 50,
}
"""Calls a minute."""
ONE_A_SECOND = (RateLimit(5, 5.0),)
"""Messages to one chat: one a second, in short bursts more."""
# The end of a reply that is changed; one that grows in a stream ends by a method that no snapshot calls.
_ENDS = {"chat.update": 1, "chat.stopStream": 1}
_METHODS = {
    method: CountedCalls(method, (RateLimit(most, 60.0),), _ENDS.get(method, 0))
    for method, most in TIERS.items()
}


def counted_calls(method: str, chat: str) -> tuple[CountedCalls, ...]:
    """Return what a call counts as; nothing for methods that are called seldom."""
    if method == "chat.postMessage":
        return (CountedCalls(f"{method} {chat}", ONE_A_SECOND, 1),)
    return (_METHODS[method],) if method in _METHODS else ()
