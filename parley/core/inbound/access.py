"""Who is answered: one table of pure rules over a channel's options and one message (docs/access.md)."""

from __future__ import annotations

from collections.abc import Container
from enum import StrEnum

from parley.core.model.address import User, account_key
from parley.core.model.command_syntax import parse_command
from parley.core.model.options import ChannelOptions, ChatOptions, MentionPolicy
from parley.core.model.types import InboundMessage

EVERYONE = "*"
PAIR = "pair"
"""The one command that somebody who may not talk may have."""

_AS_THE_CHANNEL = ChatOptions()


class AccessVerdict(StrEnum):
    """What becomes of a message."""

    ALLOW = "allow"
    PAIR = "pair"
    """Given a code that an administrator can let them in with, and nothing else."""
    REFUSE = "refuse"
    """Told so, in private, once an hour."""
    IGNORE = "ignore"
    """Not for us: not even stored."""


class SenderStanding(StrEnum):
    """Who writes."""

    KNOWN = "known"
    """Somebody who may talk."""
    ASKING = "asking"
    """Somebody who may not, and asks to be let in where that can be."""
    STRANGER = "stranger"
    """Anybody else."""
    NOBODY = "nobody"
    """No account could have this id."""


class MessageAddressing(StrEnum):
    """Where, and whether it is for us."""

    PRIVATE = "private"
    FOR_US = "for us"
    """In a group, where the mention policy says so."""
    OTHERS = "others"
    """In a group, among others."""


_TABLE = {
    (SenderStanding.KNOWN, MessageAddressing.PRIVATE): AccessVerdict.ALLOW,
    (SenderStanding.KNOWN, MessageAddressing.FOR_US): AccessVerdict.ALLOW,
    (SenderStanding.ASKING, MessageAddressing.PRIVATE): AccessVerdict.PAIR,
    (SenderStanding.STRANGER, MessageAddressing.PRIVATE): AccessVerdict.REFUSE,
}
"""All else is ignored, so that a group never hears of a refusal."""


def decide_access(
    options: ChannelOptions, message: InboundMessage, *, ours: bool = False, paired: Container[str] = ()
) -> AccessVerdict:
    """Return the verdict on a message.

    `ours` says that its topic is one where we already talk; `paired` are the keys of the accounts that an
    administrator let in.
    """
    if not message.text.strip() and not message.attachments and not message.resumes:
        return AccessVerdict.IGNORE
    found = (standing_of(options, message, paired), _place_of(options, message, ours))
    return _TABLE.get(found, AccessVerdict.IGNORE)


def standing_of(
    options: ChannelOptions, message: InboundMessage, paired: Container[str] = ()
) -> SenderStanding:
    """Return who writes, by the channel's lists and those of the chat."""
    if not _is_account(message.sender):
        return SenderStanding.NOBODY
    if _is_let_in(options, message.sender, message.conversation.chat, paired):
        return SenderStanding.KNOWN
    asks = parse_command(message.text) == (PAIR, "")
    return SenderStanding.ASKING if options.pairing and asks else SenderStanding.STRANGER


def may_talk(options: ChannelOptions, user: User, chat: str, paired: Container[str] = ()) -> bool:
    """Return whether a person is let in at all, in one chat of the channel.

    A chat's own list says all there is to say about it. Elsewhere the channel's holds, beside its
    administrators and, where there is pairing, those who were let in so. Ids are compared letter by letter.
    """
    return _is_account(user) and _is_let_in(options, user, chat, paired)


def _is_let_in(options: ChannelOptions, user: User, chat: str, paired: Container[str]) -> bool:
    own = _chat(options, chat).allowed_users
    if own is not None:
        return EVERYONE in own or user.id in own
    named = EVERYONE in options.allowed_users or user.id in options.allowed_users or user.id in options.admins
    return named or (options.pairing and account_key(user) in paired)


def mention_policy(options: ChannelOptions, chat: str) -> MentionPolicy:
    """Return when a message in this chat is for us."""
    return _chat(options, chat).mention or options.mention


def _chat(options: ChannelOptions, chat: str) -> ChatOptions:
    return options.chats.get(chat, _AS_THE_CHANNEL)


def _is_account(user: User) -> bool:
    """Return whether this can be anybody's id: never a list's word for everyone, or what cannot be seen."""
    return user.id not in ("", EVERYONE) and user.id.isprintable() and user.id == user.id.strip()


def _place_of(options: ChannelOptions, message: InboundMessage, ours: bool) -> MessageAddressing:
    if message.private:
        return MessageAddressing.PRIVATE
    mention = mention_policy(options, message.conversation.chat)
    if message.addressed or mention is MentionPolicy.NEVER:
        return MessageAddressing.FOR_US
    at_home = mention is MentionPolicy.THREAD and message.conversation.topic is not None and ours
    return MessageAddressing.FOR_US if at_home else MessageAddressing.OTHERS
