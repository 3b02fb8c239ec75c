"""What the replies of an app are made with."""

from __future__ import annotations

from dataclasses import dataclass

from parley.channels.dingtalk.api import DingTalkApi
from parley.channels.dingtalk.message_origins import MessageOrigins
from parley.channels.dingtalk.outbound.ai_cards import AiCards
from parley.channels.dingtalk.outbound.question_cards import QuestionCards
from parley.channels.dingtalk.sent_messages import SentMessages


@dataclass(frozen=True, slots=True)
class DingTalkReplyContext:
    """What all replies of an app have in common; `cards` and `questions` are None where there are none.

    With `mention` a group's answer mentions who asked. `said` keeps what was said, for quotes.
    """

    api: DingTalkApi
    cards: AiCards | None
    questions: QuestionCards | None
    origins: MessageOrigins
    said: SentMessages
    mention: bool = True
