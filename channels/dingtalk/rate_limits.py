"""What DingTalk counts for an app: calls of each method, and messages to a group."""

from __future__ import annotations

from parley.channels.kit.budget.limits import CountedCalls, RateLimit
from parley.core.model.types import JsonObject

A_METHOD = RateLimit(40, 1.0)
"""The least that others have seen refused. A minute has a limit, too, which depends on the edition."""
A_GROUP = RateLimit(20, 60.0)
"""Documented for robots that post to a webhook, who are silenced for ten minutes; taken for this one too."""
_CARDS = "/v1.0/card/"
_PRIVATE = CountedCalls("oToMessages", (A_METHOD,))
_GROUPS = CountedCalls("groupMessages", (A_METHOD,))


class DingTalkLimits:
    """The limits of an app whose cards together make at most `card_rate` calls a second."""

    def __init__(self, card_rate: float) -> None:
        most = max(1, int(card_rate))
        self._cards = CountedCalls("cards", (RateLimit(most, most / card_rate),), 1)

    def counted_calls(self, path: str, body: JsonObject) -> tuple[CountedCalls, ...]:
        """Return what a call counts as."""
        if path.startswith(_CARDS):
            return CountedCalls(path, (A_METHOD,), 1), self._cards
        match path:
            case "/v1.0/robot/oToMessages/batchSend":
                return (_PRIVATE,)
            case "/v1.0/robot/groupMessages/send":
                group = body.get("openConversationId")
                return CountedCalls(f"group {group}", (A_GROUP,)), _GROUPS
            case _:
                return ()
