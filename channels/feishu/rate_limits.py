"""What Feishu counts for an app: calls of each method, and messages to each chat."""

from __future__ import annotations

from parley.channels.kit.budget.limits import CountedCalls, RateLimit

# https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control and the page of each method.
A_METHOD = (RateLimit(1000, 60.0), RateLimit(50, 1.0))
A_CHAT = (RateLimit(5, 1.0),)
"""All bots of a chat share these."""
SPEECH = "/open-apis/speech_to_text/v1/speech/file_recognize"
A_SECOND_OF_SPEECH = (RateLimit(20, 1.0),)
"""All apps of a tenant share these."""
_PREFIXES = ("/open-apis/im/v1/", "/open-apis/cardkit/v1/")
_ENDS = 2
"""A final gives a card its last text, and the steps their last state."""


def counted_calls(verb: str, path: str, chat: str) -> tuple[CountedCalls, ...]:
    """Return what a call counts as; `chat` is where it sends a message, "" for none."""
    if path == SPEECH:
        return (CountedCalls("speech", A_SECOND_OF_SPEECH),)
    if verb == "GET" or not path.startswith(_PREFIXES):
        return ()
    # Every other part of the path is the id of a thing.
    method = "/".join(path.split("/")[4::2])
    counted = CountedCalls(f"{verb} {method}", A_METHOD, _ENDS)
    return (CountedCalls(f"chat {chat}", A_CHAT, 1), counted) if chat else (counted,)
