"""`/memory why`: what the agent was told and because of what, and where a fact comes from."""

from __future__ import annotations

from parley.core.commands.context import CommandContext
from parley.core.commands.memory.told import ToldMemoryReader
from parley.core.model.address import Conversation
from parley.core.ports.memory.controls import ToldFact, ToldReason
from parley.core.ports.memory.port import FactView
from parley.core.texts import MemorySentence

_REASONS = {
    ToldReason.WORDS: MemorySentence.WHY_WORDS,
    ToldReason.CORRECTION: MemorySentence.WHY_CORRECTION,
    ToldReason.ALWAYS: MemorySentence.WHY_ALWAYS,
    ToldReason.SURE: MemorySentence.WHY_SURE,
}
_MOST_SHOWN = 60


async def explain_memory(context: CommandContext, person: str, words: str) -> str:
    """Say where the fact of this id comes from; without one, what was told for the last answer here."""
    if words:
        return await _explain_fact(context, person, words.strip("`"))
    services = context.services
    reader = ToldMemoryReader(
        services.conversations, services.people, services.memory_controls, services.options.channels
    )
    told = await reader.read(person, context.conversation, context.message.sender)
    if told is None:
        return context.say(MemorySentence.WHY_UNKNOWN)
    if not told.facts and not told.others:
        return context.say(MemorySentence.WHY_NOTHING)
    shown = [_told_line(context, each) for each in told.facts[:_MOST_SHOWN]]
    more = [f"… +{len(told.facts) - _MOST_SHOWN}"] if len(told.facts) > _MOST_SHOWN else []
    others = [context.say(MemorySentence.WHY_OTHERS, count=told.others)] if told.others else []
    header = context.say(MemorySentence.WHY_HEADER, count=len(told.facts))
    return "\n".join([header, *shown, *more, *others, "", context.say(MemorySentence.WHY_ONE)])


def _told_line(context: CommandContext, told: ToldFact) -> str:
    words = ", ".join(f"“{word}”" for word in told.words)
    return f"- `{told.fact.id}` {told.fact.content} ({context.say(_REASONS[told.reason], words=words)})"


async def _explain_fact(context: CommandContext, person: str, fact_id: str) -> str:
    facts = (await context.services.memory.overview(person)).facts
    fact = next((each for each in facts if each.id == fact_id), None)
    if fact is None:
        return context.say(MemorySentence.NO_FACT, id=fact_id)
    return "\n".join([f"`{fact.id}` {fact.content}", *origin_lines(context, fact)])


def origin_lines(context: CommandContext, fact: FactView) -> list[str]:
    """Return where a fact comes from, when it was said again, and until when it held."""
    lines = [context.say(_origin(fact), date=fact.at[:10] or "?", channel=_channel(fact))]
    if fact.origin.link:
        lines.append(fact.origin.link)
    lines += [other.link for other in fact.also_said if other.link and other.link != fact.origin.link]
    if fact.confirmed:
        lines.append(context.say(MemorySentence.AGAIN_ON, date=fact.confirmed[:10]))
    if fact.until:
        lines.append(context.say(MemorySentence.HELD_UNTIL, date=fact.until))
    return [f"- {line}" for line in lines]


def _origin(fact: FactView) -> MemorySentence:
    if fact.source in ("manual", "import"):
        return MemorySentence.FROM_MANUAL if fact.source == "manual" else MemorySentence.FROM_IMPORT
    if not fact.origin.conversation:
        return MemorySentence.FROM_UNKNOWN
    return MemorySentence.FROM_GROUP if fact.shared else MemorySentence.FROM_PRIVATE


def _channel(fact: FactView) -> str:
    try:
        return Conversation.parse(fact.origin.conversation).channel
    except ValueError:
        return "?"
