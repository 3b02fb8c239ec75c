"""Who is answered: pure rules over a channel's options and one message."""

from enum import StrEnum

from bridge.options import ChannelOptions, Mention
from bridge.types import InboundMessage, User

EVERYONE = "*"


class Verdict(StrEnum):
    """What becomes of a message."""

    ALLOW = "allow"
    REFUSE = "refuse"
    """Told so, in private, once an hour."""
    IGNORE = "ignore"
    """Not for us: not even stored."""


def judge(options: ChannelOptions, message: InboundMessage, *, ours: bool = False) -> Verdict:
    """The verdict on a message; `ours` says that its topic is one where we already talk.

    Strangers are refused in private and ignored in groups, so that a group never hears of refusals.
    """
    if not message.text.strip() and not message.attachments and not message.resumes:
        return Verdict.IGNORE
    if not _for_us(options, message, ours):
        return Verdict.IGNORE
    if may_talk(options, message.sender):
        return Verdict.ALLOW
    return Verdict.REFUSE if message.private else Verdict.IGNORE


def may_talk(options: ChannelOptions, user: User) -> bool:
    """Whether a person is let in at all."""
    return EVERYONE in options.allowed_users or user.id in options.allowed_users


def _for_us(options: ChannelOptions, message: InboundMessage, ours: bool) -> bool:
    if message.private or message.addressed or options.mention is Mention.NEVER:
        return True
    return options.mention is Mention.THREAD and message.conversation.topic is not None and ours
