"""Which messages above a mention are brought: whose, from where on, and how old."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass

from parley.core.inbound.access import may_talk
from parley.core.model.command_syntax import is_command
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest, MessagePosition
from parley.core.model.options import ChannelOptions, ContextOptions, ContextPeople

_MOST_DIGITS = 20


@dataclass(frozen=True, slots=True)
class ContextRules:
    """Who is heard in a chat, and the messages that the agent has already."""

    options: ChannelOptions
    wanted: ContextOptions
    paired: Container[str]
    known: Collection[str]


def select_messages(
    found: Iterable[EarlierMessage], request: HistoryRequest, rules: ContextRules
) -> tuple[EarlierMessage, ...]:
    """Return the messages that may be brought, in their order, each once."""
    chosen = {
        each.id: each
        for each in found
        if _is_between(each, request, rules) and _is_wanted(each, request, rules)
    }
    return tuple(chosen.values())[-request.most :]


def _is_between(message: EarlierMessage, request: HistoryRequest, rules: ContextRules) -> bool:
    if message.id in (request.before.id, request.after.id) or message.id in rules.known:
        return False
    if not message.opening and not request.oldest <= message.sent_at:
        return False
    after = _compare(message, request.after)
    # Of the same moment and in no order that could be told, it is brought: better twice than never.
    return after >= 0 and _compare(message, request.before) <= 0


def _compare(message: EarlierMessage, position: MessagePosition) -> float:
    """Return whether a message came after another (above 0) or before it; 0 where nothing tells.

    Some platforms tell whole seconds only: of the same one the number counts that an id ends with.
    """
    if message.sent_at != position.at:
        return message.sent_at - position.at
    numbers = [each.rpartition(":")[2] for each in (message.id, position.id)]
    if not all(number.isdecimal() and len(number) < _MOST_DIGITS for number in numbers):
        return 0
    return int(numbers[0]) - int(numbers[1])


def _is_wanted(message: EarlierMessage, request: HistoryRequest, rules: ContextRules) -> bool:
    if message.ours or is_command(message.text) or not (message.text.strip() or message.files):
        return False
    if message.bot:
        return rules.wanted.bots
    if rules.wanted.people is ContextPeople.EVERYONE:
        return True
    place = request.conversation
    return not message.outsider and may_talk(rules.options, message.sender, place, rules.paired)
