"""A turn and the limits: whether it may begin, what it adds to the counts, and what its sender is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parley.core.journal import Journal, Tally
from parley.core.limits import (
    TURNS,
    Measure,
    Party,
    Rule,
    Scope,
    day_of,
    kept_until,
    minute_of,
    names_in,
    near,
    reached,
    reached_before,
    refusal_count,
    rules_for,
    warning_count,
)
from parley.core.people import account_key
from parley.core.record import Stage, TurnLog, TurnRecord
from parley.core.services import Services
from parley.core.texts import Sentence, say
from parley.core.types import Conversation, InboundMessage, Tokens
from parley.core.usage import NOTHING, Usage, priced
from parley.core.usage_words import used_of, when

_TURN = Usage(turns=1)
_REACHED = {
    Scope.PERSON: Sentence.LIMIT_REACHED,
    Scope.CHAT: Sentence.LIMIT_REACHED_CHAT,
    Scope.CHANNEL: Sentence.LIMIT_REACHED_CHANNEL,
}
_NEAR = {
    Scope.PERSON: Sentence.LIMIT_NEAR,
    Scope.CHAT: Sentence.LIMIT_NEAR_CHAT,
    Scope.CHANNEL: Sentence.LIMIT_NEAR_CHANNEL,
}


async def party_of(services: Services, message: InboundMessage) -> Party:
    """Whose counts a turn of this message belongs to. Raises StoreUnavailable."""
    own = account_key(message.sender)
    person = await services.people.person_of(message.sender)
    others = [account for account in await services.people.accounts_of(person) if account != own]
    return _party(message, person, (own, *others))


async def refused(services: Services, message: InboundMessage, turn_id: str, log: TurnLog) -> bool:
    """Whether a limit keeps a turn from its run; its sender is told, once a minute. Else it is counted now.

    A turn that only goes on with what was asked before is never kept back. Raises LaneLost,
    StoreUnavailable.
    """
    options, journal, now = services.options.limits, services.journal, services.clock()
    if not options.limited or log.record.answers or log.record.stage is not Stage.ACCEPTED:
        return False
    party = await party_of(services, message)
    rules = rules_for(options, party, now)
    counts = await counts_of(journal, rules)
    rule = reached_before(rules, counts)
    if rule is None:
        # Under the turn's own name: a crash after it does not count it twice.
        if await journal.tally(_begun(services, party, rules, counts, now), once=f"turn/{turn_id}"):
            log.change(counted=now)
            return False
        turns = [rule for rule in rules if rule.measure in TURNS]
        rule = reached(turns, await counts_of(journal, rules)) or turns[0]
    told = await journal.tally([_once_a_minute(message, now)])
    text = _refusal(services, message, rule, now) if told else ""
    await log.write(stage=Stage.ANSWERED if told else Stage.SKIPPED, text=text, refused=True)
    return True


async def warnings(
    services: Services, message: InboundMessage, turn: TurnRecord, used: Iterable[Tokens]
) -> tuple[str, ...]:
    """What to tell at the end of a turn that `used` so much: each limit that is nearly used up, once.

    Raises StoreUnavailable.
    """
    options, journal = services.options.limits, services.journal
    if not turn.counted:
        return ()
    party = await party_of(services, message)
    rules, spent = rules_for(options, party, turn.counted), priced(used, options.prices)
    counts = dict(await counts_of(journal, rules))
    for name in {rule.names[0] for rule in rules}:
        counts[name] = counts.get(name, NOTHING) + spent
    told = [
        _warning(services, message, rule, rule.used(counts))
        for rule in near(rules, counts, options.warn_at)
        if await journal.tally([_once_a_window(party, rule)])
    ]
    return tuple(told)


def spent_by(services: Services, message: InboundMessage, turn: TurnRecord) -> tuple[Tally, ...]:
    """What a turn that is over adds to the counts of its day: itself, unless it is counted already, and its
    tokens. One that was counted and never ran is taken back.
    """
    options = services.options.limits
    ran = bool(turn.run_id) and not turn.answers
    turns = int(ran) - int(turn.counted > 0)
    usage = priced(turn.usage, options.prices, turns, metered=int(ran and bool(turn.usage)))
    if usage == NOTHING:
        return ()
    day = day_of(turn.counted or services.clock(), options.zone)
    own, until = _party(message, "", (account_key(message.sender),)), kept_until(day)
    return tuple(Tally(own.names(scope, day)[0], until, usage) for scope in Scope)


async def counts_of(journal: Journal, rules: Iterable[Rule]) -> Mapping[str, Usage]:
    """The counts that rules look at, by name. Raises StoreUnavailable."""
    names = names_in(rules)
    return dict(zip(names, await journal.counted(names), strict=True))


def _party(message: InboundMessage, person: str, accounts: tuple[str, ...]) -> Party:
    place = message.conversation
    return Party(person, accounts, Conversation(place.channel, place.chat).key, place.channel)


def _begun(
    services: Services, party: Party, rules: Iterable[Rule], counts: Mapping[str, Usage], now: float
) -> tuple[Tally, ...]:
    """The turn itself, in every window that is counted."""
    most = {rule.names[0]: rule.room(counts) for rule in rules if rule.measure in TURNS}
    by_the_minute = {rule.scope for rule in rules if rule.measure is Measure.TURNS_A_MINUTE}
    day, minute = day_of(now, services.options.limits.zone), minute_of(now)
    days = ((party.names(scope, day)[0], kept_until(day)) for scope in Scope)
    minutes = ((party.names(scope, minute)[0], minute.ends) for scope in Scope if scope in by_the_minute)
    return tuple(Tally(name, until, _TURN, most.get(name, 0)) for name, until in (*days, *minutes))


def _once_a_minute(message: InboundMessage, now: float) -> Tally:
    minute = minute_of(now)
    told = refusal_count(account_key(message.sender))
    return Tally(f"{told}{message.conversation.key}/{minute.name}", minute.ends, _TURN, 1)


def _once_a_window(party: Party, rule: Rule) -> Tally:
    whose = {Scope.PERSON: party.person, Scope.CHAT: party.chat, Scope.CHANNEL: party.channel}[rule.scope]
    told = warning_count(rule.scope, rule.measure, whose)
    return Tally(f"{told}{rule.window.name}", rule.window.ends, _TURN, 1)


def _refusal(services: Services, message: InboundMessage, rule: Rule, now: float) -> str:
    language, options = services.language(message), services.options.limits
    what = used_of(language, options, rule, rule.most)
    ends = when(language, rule.window.ends, now, options.zone)
    return say(language, _REACHED[rule.scope], what=what, when=ends)


def _warning(services: Services, message: InboundMessage, rule: Rule, used: int) -> str:
    language, options = services.language(message), services.options.limits
    what = used_of(language, options, rule, used)
    ends = when(language, rule.window.ends, services.clock(), options.zone)
    return say(language, _NEAR[rule.scope], what=what, when=ends)
