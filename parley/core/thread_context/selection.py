"""Which messages above a mention are brought: whose, from where on, and how old."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass

from parley.core.inbound.access import may_talk
from parley.core.model.command_syntax import is_command
from parley.core.model.earlier_messages import (
    EarlierMessage,
    HistoryRequest,
    MessagePosition,
    compare_positions,
)
from parley.core.model.options import ChannelOptions, ContextOptions, ContextPeople


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
    place = MessagePosition(message.id, message.sent_at)
    # Of the same moment and in no order that could be told, it is brought: better twice than never.
    after = compare_positions(place, request.after)
    return after >= 0 and compare_positions(place, request.before) <= 0


def _is_wanted(message: EarlierMessage, request: HistoryRequest, rules: ContextRules) -> bool:
    if message.ours or is_command(message.text) or not (message.text.strip() or message.files):
        return False
    if message.bot:
        return rules.wanted.bots
    if rules.wanted.people is ContextPeople.EVERYONE:
        return True
    place = request.conversation
    return not message.outsider and may_talk(rules.options, message.sender, place, rules.paired)
