"""What Telegram counts for a bot: messages, sent or edited, to each chat and in all; and drafts."""

from __future__ import annotations

from typing import Any

from telegram import Bot

from parley.channels.kit.budget.limits import CountedCalls, RateLimit
from parley.channels.kit.budget.rate_budget import RateBudget
from parley.channels.telegram.errors import Flood, translate

# https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this: not more than one message a
# second in a chat, though short bursts may pass; 20 a minute in a group; about 30 a second in all.
ONE_A_SECOND = RateLimit(10, 10.0)
TWENTY_A_MINUTE = RateLimit(20, 60.0)
ALL_CHATS = CountedCalls("all", (RateLimit(30, 1.0),))
_ENDS = 1
"""A reply that was shown before ends with one more edit."""
_UNCOUNTED = frozenset({"sendChatAction", "sendMessageDraft"})


def counted_calls(method: str, chat: object) -> tuple[CountedCalls, ...]:
    """Return what a call of a method counts as."""
    if method in _UNCOUNTED:
        # What shows that something is coming has limits that nobody documents; messages do not wait for it.
        return (CountedCalls(f"draft {chat}", (ONE_A_SECOND,)),)
    if not method.startswith(("send", "edit", "forward", "copy")):
        return ()
    if str(chat).startswith(("-", "@")):
        return CountedCalls(f"group {chat}", (ONE_A_SECOND, TWENTY_A_MINUTE), _ENDS), ALL_CHATS
    here = CountedCalls(f"person {chat}", (ONE_A_SECOND,), _ENDS)
    if method.startswith("edit"):
        # https://github.com/tdlib/td/issues/2592: "about 20 times per minute in a specific chat".
        return here, CountedCalls(f"edits {chat}", (TWENTY_A_MINUTE,), 1), ALL_CHATS
    return here, ALL_CHATS


class BudgetedBot(Bot):
    """The SDK's bot within a budget.

    The SDK's own rate limiter knows neither priorities nor room for finals, and after a refusal in one chat
    it lets all chats wait. This is the place where the SDK calls it.
    """

    def __init__(self, token: str, **options: Any) -> None:  # noqa: ANN401 - the SDK's
        super().__init__(token, **options)
        self._budget = RateBudget()

    async def _do_post(self, endpoint: str, data: dict[str, Any], **timeouts: Any) -> Any:  # noqa: ANN401
        async with self._budget.call(
            *counted_calls(endpoint, data.get("chat_id") or data.get("inline_message_id"))
        ):
            try:
                return await super()._do_post(endpoint, data, **timeouts)
            except Flood as error:
                raise translate(error) from error
