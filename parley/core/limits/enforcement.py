"""A turn and the limits: whether it may begin, what it adds to the counts, and what its sender is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parley.core.limits.render import render_time_until, render_used
from parley.core.limits.rules import (
    TURN_MEASURES,
    LimitRule,
    LimitSubject,
    counter_names,
    day_window,
    find_nearly_reached,
    find_reached,
    find_reached_before,
    kept_until,
    minute_window,
    refusal_counter,
    rules_for,
    warning_counter,
)
from parley.core.model.address import Conversation, account_key
from parley.core.model.limits import LimitMeasure, LimitScope
from parley.core.model.types import InboundMessage
from parley.core.model.usage import NO_USAGE, TokenUsage, Usage, price_tokens
from parley.core.ports.journal import CounterIncrement, Journal
from parley.core.services import CoreServices
from parley.core.state.turn_record import TurnCheckpoint, TurnRecord, TurnStage
from parley.core.texts import Sentence, say

_TURN = Usage(turns=1)
_REACHED = {
    LimitScope.PERSON: Sentence.LIMIT_REACHED,
    LimitScope.CHAT: Sentence.LIMIT_REACHED_CHAT,
    LimitScope.CHANNEL: Sentence.LIMIT_REACHED_CHANNEL,
}
_NEAR = {
    LimitScope.PERSON: Sentence.LIMIT_NEAR,
    LimitScope.CHAT: Sentence.LIMIT_NEAR_CHAT,
    LimitScope.CHANNEL: Sentence.LIMIT_NEAR_CHANNEL,
}


async def load_limit_subject(services: CoreServices, message: InboundMessage) -> LimitSubject:
    """Whose counts a turn of this message belongs to. Raises StoreUnavailable."""
    own = account_key(message.sender)
    person = await services.people.person_of(message.sender)
    others = [account for account in await services.people.accounts_of(person) if account != own]
    return _party(message, person, (own, *others))


async def refuse_over_limit(
    services: CoreServices, message: InboundMessage, turn_id: str, log: TurnCheckpoint
) -> bool:
    """Whether a limit keeps a turn from its run; its sender is told, once a minute. Else it is counted now.

    A turn that only goes on with what was asked before is never kept back. Raises LaneLost,
    StoreUnavailable.
    """
    options, journal, now = services.options.limits, services.journal, services.clock()
    if not options.limited or log.record.answers or log.record.stage is not TurnStage.ACCEPTED:
        return False
    party = await load_limit_subject(services, message)
    rules = rules_for(options, party, now)
    counts = await load_counts(journal, rules)
    rule = find_reached_before(rules, counts)
    if rule is None:
        # Under the turn's own name: a crash after it does not count it twice.
        if await journal.tally(_begun(services, party, rules, counts, now), once=f"turn/{turn_id}"):
            log.change(counted=now)
            return False
        turns = [rule for rule in rules if rule.measure in TURN_MEASURES]
        rule = find_reached(turns, await load_counts(journal, rules)) or turns[0]
    told = not message.sender.bot and await journal.tally([_once_a_minute(message, now)])
    text = _refusal(services, message, rule, now) if told else ""
    await log.write(stage=TurnStage.ANSWERED if told else TurnStage.SKIPPED, text=text, refused=True)
    return True


async def limit_warnings(
    services: CoreServices, message: InboundMessage, turn: TurnRecord, used: Iterable[TokenUsage]
) -> tuple[str, ...]:
    """Return what to tell at the end of a turn that `used` so much: each limit that is nearly used up, once.

    Raises StoreUnavailable.
    """
    options, journal = services.options.limits, services.journal
    if not turn.counted:
        return ()
    party = await load_limit_subject(services, message)
    rules, spent = (
        rules_for(options, party, turn.counted),
        price_tokens((*used, *turn.heard_usage), options.prices),
    )
    counts = dict(await load_counts(journal, rules))
    for name in {rule.names[0] for rule in rules}:
        counts[name] = counts.get(name, NO_USAGE) + spent
    told = [
        _warning(services, message, rule, rule.used(counts))
        for rule in find_nearly_reached(rules, counts, options.warn_at)
        if await journal.tally([_once_a_window(party, rule)])
    ]
    return tuple(told)


def usage_increments(
    services: CoreServices, message: InboundMessage, turn: TurnRecord
) -> tuple[CounterIncrement, ...]:
    """What a turn that is over adds to the counts of its day: itself, unless it is counted already, and its
    tokens. One that was counted and never ran is taken back.
    """
    options = services.options.limits
    ran = bool(turn.run_id) and not turn.answers
    turns = int(ran) - int(turn.counted > 0)
    used = (*turn.usage, *turn.heard_usage)
    usage = price_tokens(used, options.prices, turns, metered=int(ran and bool(turn.usage)))
    if usage == NO_USAGE:
        return ()
    day = day_window(turn.counted or services.clock(), options.zone)
    own, until = _party(message, "", (account_key(message.sender),)), kept_until(day)
    return tuple(CounterIncrement(own.names(scope, day)[0], until, usage) for scope in own.scopes(options))


async def load_counts(journal: Journal, rules: Iterable[LimitRule]) -> Mapping[str, Usage]:
    """Return the counts that rules look at, by name. Raises StoreUnavailable."""
    names = counter_names(rules)
    return dict(zip(names, await journal.counted(names), strict=True))


def _party(message: InboundMessage, person: str, accounts: tuple[str, ...]) -> LimitSubject:
    place = message.conversation
    chat = Conversation(place.channel, place.chat).key
    return LimitSubject(person, accounts, chat, place.channel, message.private)


def _begun(
    services: CoreServices,
    party: LimitSubject,
    rules: Iterable[LimitRule],
    counts: Mapping[str, Usage],
    now: float,
) -> tuple[CounterIncrement, ...]:
    """Return the turn itself, in every window that is counted."""
    most = {rule.names[0]: rule.room(counts) for rule in rules if rule.measure in TURN_MEASURES}
    by_the_minute = {rule.scope for rule in rules if rule.measure is LimitMeasure.TURNS_A_MINUTE}
    options = services.options.limits
    day, minute = day_window(now, options.zone), minute_window(now)
    days = ((party.names(scope, day)[0], kept_until(day)) for scope in party.scopes(options))
    minutes = ((party.names(scope, minute)[0], minute.ends) for scope in LimitScope if scope in by_the_minute)
    return tuple(CounterIncrement(name, until, _TURN, most.get(name, 0)) for name, until in (*days, *minutes))


def _once_a_minute(message: InboundMessage, now: float) -> CounterIncrement:
    minute = minute_window(now)
    told = refusal_counter(account_key(message.sender))
    return CounterIncrement(f"{told}{message.conversation.key}/{minute.name}", minute.ends, _TURN, 1)


def _once_a_window(party: LimitSubject, rule: LimitRule) -> CounterIncrement:
    whose = {LimitScope.PERSON: party.person, LimitScope.CHAT: party.chat, LimitScope.CHANNEL: party.channel}[
        rule.scope
    ]
    told = warning_counter(rule.scope, rule.measure, whose)
    return CounterIncrement(f"{told}{rule.window.name}", rule.window.ends, _TURN, 1)


def _refusal(services: CoreServices, message: InboundMessage, rule: LimitRule, now: float) -> str:
    language, options = services.language(message), services.options.limits
    what = render_used(language, options, rule, rule.most)
    ends = render_time_until(language, rule.window.ends, now, options.zone)
    return say(language, _REACHED[rule.scope], what=what, when=ends)


def _warning(services: CoreServices, message: InboundMessage, rule: LimitRule, used: int) -> str:
    language, options = services.language(message), services.options.limits
    what = render_used(language, options, rule, used)
    ends = render_time_until(language, rule.window.ends, services.clock(), options.zone)
    return say(language, _NEAR[rule.scope], what=what, when=ends)
