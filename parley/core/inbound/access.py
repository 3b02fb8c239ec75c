"""Who is answered: one table of pure rules over a channel's options and one message (docs/access.md)."""

from __future__ import annotations

from collections.abc import Container
from enum import StrEnum

from parley.core.model.address import Conversation, User, account_key
from parley.core.model.bots import is_welcome
from parley.core.model.command_syntax import is_command, parse_command
from parley.core.model.options import ChannelOptions, MentionPolicy, UnroutedPolicy
from parley.core.model.types import InboundMessage

EVERYONE = "*"
PAIR = "pair"
"""The one command that somebody who may not talk may have."""


class AccessVerdict(StrEnum):
    """What becomes of a message."""

    ALLOW = "allow"
    PAIR = "pair"
    """Given a code that an administrator can let them in with, and nothing else."""
    REFUSE = "refuse"
    """Told so, in private, once an hour."""
    UNROUTED = "unrouted"
    """Told, once an hour in each chat, that no agent is set up there."""
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
    here = options.at(message.conversation)
    found = (standing_of(here, message, paired), _place_of(here, message, ours))
    verdict = _TABLE.get(found, AccessVerdict.IGNORE)
    return _unrouted(here, message) if verdict is AccessVerdict.ALLOW else verdict


def _unrouted(here: ChannelOptions, message: InboundMessage) -> AccessVerdict:
    """Return what becomes of a message that would be answered, where groups need an entry of their own.

    Commands are answered all the same: /whoami tells what the chat is called in the settings.
    """
    if here.unrouted is UnroutedPolicy.ANSWER or here.routed or message.private or message.resumes:
        return AccessVerdict.ALLOW
    if is_command(message.text) and not message.sender.bot:
        return AccessVerdict.ALLOW
    return AccessVerdict.UNROUTED if here.unrouted is UnroutedPolicy.REFUSE else AccessVerdict.IGNORE


def standing_of(
    options: ChannelOptions, message: InboundMessage, paired: Container[str] = ()
) -> SenderStanding:
    """Return who writes, by the channel's lists and those of the chat."""
    sender = message.sender
    if not _is_account(sender) or (sender.bot and not is_welcome(options.bots, sender)):
        return SenderStanding.NOBODY
    if may_talk(options, sender, message.conversation, paired):
        return SenderStanding.KNOWN
    asks = parse_command(message.text) == (PAIR, "")
    return SenderStanding.ASKING if options.pairing and asks else SenderStanding.STRANGER


def may_talk(options: ChannelOptions, user: User, place: Conversation, paired: Container[str] = ()) -> bool:
    """Return whether a person is let in at all, in one place of the channel.

    A chat's own list says all there is to say about it. Elsewhere the channel's holds, beside its
    administrators and, where there is pairing, those who were let in so. Ids are compared letter by letter.
    """
    if not _is_account(user):
        return False
    here = options.at(place)
    if user.bot:
        return is_welcome(here.bots, user)
    if here.listed is not None:
        return EVERYONE in here.listed or user.id in here.listed
    named = EVERYONE in here.allowed_users or user.id in here.allowed_users or user.id in here.admins
    return named or (here.pairing and account_key(user) in paired)


def _is_account(user: User) -> bool:
    """Return whether this can be anybody's id: never a list's word for everyone, or what cannot be seen."""
    return user.id not in ("", EVERYONE) and user.id.isprintable() and user.id == user.id.strip()


def _place_of(options: ChannelOptions, message: InboundMessage, ours: bool) -> MessageAddressing:
    if message.private:
        return MessageAddressing.PRIVATE
    if message.addressed or options.mention is MentionPolicy.NEVER:
        return MessageAddressing.FOR_US
    if any(rule.applies(message.text, message.sender) for rule in options.triggers):
        return MessageAddressing.FOR_US
    at_home = options.mention is MentionPolicy.THREAD and message.conversation.topic is not None and ours
    return MessageAddressing.FOR_US if at_home else MessageAddressing.OTHERS
